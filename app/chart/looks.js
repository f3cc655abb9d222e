// Looks of points: their colours, sizes and shapes.

const LEAST_RADIUS = 2.5;
const MOST_RADIUS = 11;
const USUAL_RADIUS = 5;

// Which colour every point of a layer has: colours, and an index into them per point, or null where all share one.
function inks(chart, layer) {
  if (typeof layer.colour === 'string') return { colours: [colourOf(layer.colour, chart.palette)], index: null };
  const legend = chart.spec.colour;
  const n = layer.x.length;
  const index = new Uint16Array(n);
  if (!legend) return { colours: [colourOf('accent', chart.palette)], index: null };
  const colours = legend.kind === 'scale' ? ramp(legend, chart.palette) : wordColours(legend, chart.palette);
  const grey = colours.length;
  for (let i = 0; i < n; i++) {
    const value = layer.colour[i];
    if (legend.kind === 'scale') {
      const place = portion(legend, value);
      index[i] = Number.isNaN(place) ? grey : Math.round(place * (STEPS - 1));
    } else index[i] = value >= 0 && value < grey ? value : grey;
  }
  return { colours: [...colours, withAlpha(chart.palette.neutral, 0.75)], index };
}

function radii(chart, layer) {
  if (typeof layer.radius === 'number') return null;
  const sizes = chart.spec.sizes;
  return Float32Array.from(layer.radius, (value) => radiusOf(sizes, value));
}

function radiusOf(sizes, value) {
  const part = sizes ? portion(sizes, value) : NaN;
  if (Number.isNaN(part)) return USUAL_RADIUS;
  const exact = Math.sqrt(LEAST_RADIUS ** 2 + part * (MOST_RADIUS ** 2 - LEAST_RADIUS ** 2));
  return Math.round(exact * 4) / 4;
}

// Looks of a layer, kept until the chart, the theme or the kind of screen changes; small screens have smaller points.
function looksOf(chart, layer) {
  let looks = chart.looks.get(layer);
  const scale = chart.layout.narrow ? 0.85 : 1;
  if (looks?.scale !== scale) {
    const dense = layer.x.length > 3000;
    looks = {
      ...inks(chart, layer),
      scale,
      radii: radii(chart, layer),
      edge: layer.outline ? colourOf(layer.outline, chart.palette) : chart.palette.background,
      edgeWidth: layer.outline ? 1.2 : dense ? 0.5 : 1,
    };
    chart.looks.set(layer, looks);
  }
  return looks;
}

function lookOf(looks, layer, i) {
  return {
    colour: looks.colours[looks.index ? looks.index[i] : 0],
    radius: (looks.radii ? looks.radii[i] : layer.radius) * looks.scale,
    symbol: layer.symbol ? layer.symbol[i] : 0,
    hollow: layer.hollow ? !!layer.hollow[i] : false,
    edge: looks.edge,
    edgeWidth: looks.edgeWidth,
  };
}
