// Grid, axes and their numbers.

// Thin lines lie on whole pixels of the screen.
function crisp(chart, pixel) {
  const ratio = chart.ratio;
  return (Math.floor(pixel * ratio) + 0.5) / ratio;
}

// Where a power of ten is short, lines within it would be a grey wall.
function isTight(scale) {
  return scale.length / Math.log10(scale.high / scale.low) < 110;
}

function drawGrid(ctx, chart, frame) {
  const { palette } = chart;
  const line = (a, b, c, d) => {
    ctx.moveTo(a, b);
    ctx.lineTo(c, d);
  };
  for (const minor of [true, false]) {
    ctx.beginPath();
    for (const tick of frame.xTicks) {
      if (!!tick.minor !== minor || (minor && isTight(frame.x))) continue;
      const x = crisp(chart, frame.x.pixel(tick.value));
      line(x, frame.top, x, frame.bottom);
    }
    for (const tick of frame.yTicks) {
      if (!!tick.minor !== minor || (minor && isTight(frame.y))) continue;
      const y = crisp(chart, frame.y.pixel(tick.value));
      line(frame.left, y, frame.right, y);
    }
    ctx.lineWidth = 1;
    ctx.strokeStyle = minor ? withAlpha(palette.grid, 0.55) : palette.grid;
    ctx.stroke();
  }
}

function drawAxes(ctx, chart, frame) {
  const { palette } = chart;
  ctx.beginPath();
  const bottom = crisp(chart, frame.bottom);
  ctx.moveTo(frame.left, bottom);
  ctx.lineTo(frame.right, bottom);
  const left = crisp(chart, frame.left);
  ctx.moveTo(left, frame.top);
  ctx.lineTo(left, frame.bottom);
  ctx.strokeStyle = palette.axis;
  ctx.lineWidth = 1;
  ctx.stroke();
  ctx.font = fontOf(palette, 11.5);
  ctx.fillStyle = palette.muted;
  if (frame.namesY) nameY(ctx, frame);
  if (frame.namesX) nameX(ctx, chart, frame);
}

function nameY(ctx, frame) {
  ctx.textAlign = 'right';
  ctx.textBaseline = 'middle';
  let last = Infinity;
  const ordered = [...frame.yTicks].sort((a, b) => a.value - b.value);
  for (const tick of ordered) {
    const y = frame.y.pixel(tick.value);
    if (!tick.label || last - y < 13) continue;
    ctx.fillText(elided(ctx, tick.label, frame.gutter - 10), frame.left - 8, y);
    last = y;
  }
}

function nameX(ctx, chart, frame) {
  ctx.textBaseline = 'top';
  if (frame.slant) {
    nameSlanted(ctx, frame);
    return;
  }
  ctx.textAlign = 'center';
  let last = -Infinity;
  for (const tick of frame.xTicks) {
    if (!tick.label) continue;
    const text = clean(tick.label);
    const half = ctx.measureText(text).width / 2;
    const x = Math.min(chart.width - half, Math.max(half, frame.x.pixel(tick.value)));
    if (x - half < last + 8) continue;
    ctx.fillText(text, x, frame.bottom + 8);
    last = x + half;
  }
}

function nameSlanted(ctx, frame) {
  ctx.textAlign = 'right';
  let last = -Infinity;
  for (const tick of frame.xTicks) {
    const x = frame.x.pixel(tick.value);
    if (!tick.label || x - last < 13) continue;
    last = x;
    const room = Math.min(frame.slant / 0.58, Math.max(30, (x - 2) / 0.8));
    ctx.save();
    ctx.translate(x + 3, frame.bottom + 9);
    ctx.rotate(-Math.PI / 5);
    ctx.fillText(elided(ctx, tick.label, room), 0, 0);
    ctx.restore();
  }
}
