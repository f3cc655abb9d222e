// The chart as a file: made here, without asking anybody.

const FILES = {
  png: 'Picture (PNG)', svg: 'Drawing (SVG)', csv: 'Table (CSV)', json: 'Data (JSON)', html: 'Page (HTML)',
};
const TYPES = {
  svg: 'image/svg+xml', csv: 'text/csv;charset=utf-8', json: 'application/json', html: 'text/html;charset=utf-8',
};

async function saveAs(chart, kind) {
  const made = kind === 'png' ? await pngOf(chart) : new Blob([textOf(chart, kind)], { type: TYPES[kind] });
  if (!made) return;
  const link = document.createElement('a');
  link.href = URL.createObjectURL(made);
  link.download = `${fileStem(chart.spec.file)}.${kind}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

function textOf(chart, kind) {
  if (kind === 'svg') return svgOf(chart);
  if (kind === 'csv') return csvOf(chart);
  return kind === 'json' ? jsonOf(chart) : pageOf(chart);
}

function fileStem(name) {
  return String(name).replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^[-.]+|[-.]+$/g, '').slice(0, 60) || 'tradeoff';
}

function pngOf(chart) {
  const canvas = document.createElement('canvas');
  const ratio = chart.ratio;
  chart.ratio = 2;
  canvas.width = chart.width * 2 + MARGIN * 4;
  canvas.height = chart.height * 2 + MARGIN * 4;
  const ctx = canvas.getContext('2d');
  ctx.fillStyle = chart.palette.background;
  ctx.fillRect(0, 0, canvas.width, canvas.height);
  ctx.setTransform(2, 0, 0, 2, MARGIN * 2, MARGIN * 2);
  drawAll(ctx, chart);
  drawHighlights(ctx, chart, false);
  chart.ratio = ratio;
  return new Promise((resolve) => canvas.toBlob(resolve, 'image/png'));
}

const MARGIN = 16;

function svgOf(chart) {
  const ctx = new SvgContext(chart.width, chart.height, document.createElement('canvas').getContext('2d'));
  drawAll(ctx, chart);
  drawHighlights(ctx, chart, false);
  return ctx.document(chart.palette.background, chart.spec.alt || chart.spec.title, MARGIN);
}

// A page of its own: the data as text, and this program, which a function knows by heart.
function pageOf(chart) {
  const title = escaped(clean(chart.spec.title || 'Chart'));
  const policy = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:";
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}"><title>${title}</title>
<style>:root { color-scheme: light dark; } body { margin: 0; background: ${LIGHT.background}; }
main { max-width: 1080px; margin: 0 auto; padding: 32px 24px; }
@media (prefers-color-scheme: dark) { body { background: ${DARK.background}; } }</style></head>
<body><main><div class="tradeoff-chart"><script type="text/plain">${toBase64(chart.bytes)}<\/script></div></main>
<script>(${tradeoffChart.toString()})().page(document);<\/script></body></html>
`;
}
