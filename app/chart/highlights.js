// What is selected, pointed at or brushed: drawn over the layers, again and again while they rest.

function indexOfKey(chart, key) {
  if (!chart.keyIndex) {
    chart.keyIndex = new Map(chart.spec.keys.map((name, i) => [name, i]));
  }
  return chart.keyIndex.get(key) ?? -1;
}

function drawHighlights(ctx, chart, withHover) {
  const chosen = new Set(chart.selected.map((key) => indexOfKey(chart, key)).filter((k) => k >= 0));
  const names = new Set(chart.selected);
  const hovered = withHover && chart.hit ? chart.hit.key : -1;
  const line = withHover && chart.hit?.line ? chart.hit.line : null;
  for (const frame of chart.frames) {
    for (const layer of frame.layers) {
      if (layer.kind === 'paths') drawPaths(ctx, chart, frame, layer, chosen, hovered);
      if (layer.kind === 'line' && (layer === line || (layer.key && names.has(layer.key)))) {
        drawLine(ctx, chart, frame, layer, true);
      }
    }
    for (const layer of frame.layers) {
      if (layer.kind !== 'points' || !layer.key) continue;
      const places = frame.places.get(layer);
      if (!places || (!chosen.size && hovered < 0)) continue;
      for (let i = 0; i < layer.key.length; i++) {
        const key = layer.key[i];
        if (key < 0 || places.px[i] !== places.px[i]) continue;
        if (chosen.has(key)) ringed(ctx, chart, layer, i, places, chart.palette.text, 2);
        else if (key === hovered) ringed(ctx, chart, layer, i, places, chart.palette.muted, 1.5);
      }
    }
  }
  const bare = withHover && chart.hit?.key < 0 ? chart.hit : null;
  if (bare) ringAt(ctx, chart, bare.x, bare.y, 7, chart.palette.muted, 1.5);
  drawBrush(ctx, chart);
}

// The point once more, on top, with a ring around it.
function ringed(ctx, chart, layer, i, { px, py }, colour, width) {
  const look = lookOf(looksOf(chart, layer), layer, i);
  const reach = look.radius * (look.symbol ? 1.3 : 1) + 3.5;
  ringAt(ctx, chart, px[i], py[i], reach, colour, width);
  stamp(ctx, px[i], py[i], look);
}

function ringAt(ctx, chart, x, y, reach, colour, width) {
  trace(ctx, 0, x, y, reach);
  ctx.strokeStyle = withAlpha(chart.palette.background, 0.9);
  ctx.lineWidth = width + 2.5;
  ctx.stroke();
  ctx.strokeStyle = colour;
  ctx.lineWidth = width;
  ctx.stroke();
}

function drawPaths(ctx, chart, frame, layer, chosen, hovered) {
  const k = layer.x.shape[1];
  for (let row = 0; row < layer.key.length; row++) {
    const key = layer.key[row];
    if (key < 0 || (key !== hovered && !chosen.has(key))) continue;
    const xs = layer.x.subarray(row * k, (row + 1) * k);
    const ys = layer.y.subarray(row * k, (row + 1) * k);
    const path = {
      x: xs, y: ys, colour: layer.colour, width: 1.6, dash: 'solid', markers: true,
      opacity: chosen.has(key) ? 0.95 : 0.7,
    };
    drawLine(ctx, chart, frame, path);
  }
}

// What is being drawn by hand, else what was chosen before.
function drawBrush(ctx, chart) {
  const drag = chart.drag?.moved ? chart.drag : null;
  const colour = colourOf('accent', chart.palette);
  const outline = (frame, points, dashed) => clipped(ctx, frame, () => {
    ctx.beginPath();
    points.forEach(([a, b], i) => (i ? ctx.lineTo(far(a), far(b)) : ctx.moveTo(far(a), far(b))));
    ctx.closePath();
    ctx.fillStyle = withAlpha(colour, 0.09);
    ctx.fill();
    ctx.strokeStyle = withAlpha(colour, 0.85);
    ctx.lineWidth = 1.25;
    ctx.setLineDash(dashed ? [4, 3] : []);
    ctx.stroke();
    ctx.setLineDash([]);
  });
  if (chart.brush && !(drag && drag.tool !== 'zoom' && drag.tool !== 'pan')) {
    for (const frame of chart.frames) {
      if (frame.ownX || frame.ownY) continue;
      outline(frame, brushPixels(frame, chart.brush), false);
    }
  }
  if (!drag || drag.tool === 'pan') return;
  const [x0, y0] = drag.from;
  const [x1, y1] = drag.to;
  const points = drag.tool === 'lasso' ? drag.points : [[x0, y0], [x1, y0], [x1, y1], [x0, y1]];
  outline(drag.frame, points, drag.tool === 'zoom');
}

function brushPixels(frame, brush) {
  const place = ([x, y]) => [
    clampNaN(frame.x.pixel(x), frame.left), clampNaN(frame.y.pixel(y), frame.bottom),
  ];
  if (brush.kind === 'lasso') return brush.points.map(place);
  const [[x0, x1], [y0, y1]] = [brush.x, brush.y];
  return [[x0, y0], [x1, y0], [x1, y1], [x0, y1]].map(place);
}

function clampNaN(value, otherwise) {
  return Number.isNaN(value) ? otherwise : value;
}
