// The whole chart on a context: a canvas, or what writes SVG.

function drawAll(ctx, chart) {
  for (const item of chart.layout.texts) drawWords(ctx, chart, item);
  for (const { entry, x, y } of chart.layout.legend) entry.draw(ctx, x, y);
  for (const frame of chart.frames) {
    drawGrid(ctx, chart, frame);
    drawAxes(ctx, chart, frame);
    for (const layer of frame.layers) drawLayer(ctx, chart, frame, layer);
  }
}

function drawWords(ctx, chart, { text, x, y, size, weight, colour, dotted }) {
  ctx.font = fontOf(chart.palette, size, weight);
  ctx.textAlign = 'left';
  ctx.textBaseline = 'middle';
  ctx.fillStyle = colour;
  ctx.fillText(text, x, y);
  if (!dotted) return;
  ctx.beginPath();
  ctx.setLineDash([1, 2.5]);
  ctx.moveTo(x, y + size * 0.62);
  ctx.lineTo(x + dotted, y + size * 0.62);
  ctx.strokeStyle = chart.palette.muted;
  ctx.lineWidth = 1;
  ctx.stroke();
  ctx.setLineDash([]);
}

// Lay out for the width there is, and draw at once: nothing of an older size is ever seen.
function redraw(chart) {
  const width = Math.floor(chart.host.clientWidth);
  if (!width) return;
  chart.ratio = Math.min(3, Math.max(1, window.devicePixelRatio || 1));
  chart.width = width;
  const ctx = chart.base.getContext('2d');
  chart.layout = layoutOf(chart, ctx, width);
  chart.frames = chart.layout.frames;
  chart.host.classList.toggle('narrow', chart.layout.narrow);
  chart.height = chart.layout.height;
  for (const canvas of [chart.base, chart.over]) fit(canvas, chart);
  ctx.setTransform(chart.ratio, 0, 0, chart.ratio, 0, 0);
  ctx.clearRect(0, 0, chart.width, chart.height);
  drawAll(ctx, chart);
  chart.targets = null;
  redrawOver(chart);
  chart.drawn += 1;
  chart.host.dataset.drawn = String(chart.drawn);
}

function fit(canvas, chart) {
  const [w, h] = [Math.round(chart.width * chart.ratio), Math.round(chart.height * chart.ratio)];
  if (canvas.width !== w) canvas.width = w;
  if (canvas.height !== h) canvas.height = h;
  canvas.style.width = `${chart.width}px`;
  canvas.style.height = `${chart.height}px`;
  chart.host.style.height = `${chart.height}px`;
}

function redrawOver(chart) {
  const ctx = chart.over.getContext('2d');
  ctx.setTransform(chart.ratio, 0, 0, chart.ratio, 0, 0);
  ctx.clearRect(0, 0, chart.width, chart.height);
  drawHighlights(ctx, chart, true);
}
