// Shapes of points as paths around a place, of about the same area.

const TURN = Math.PI * 2;
const RING = 9;

function polygon(ctx, x, y, corners) {
  corners.forEach(([dx, dy], i) => (i ? ctx.lineTo(x + dx, y + dy) : ctx.moveTo(x + dx, y + dy)));
  ctx.closePath();
}

function regular(count, radius, turn) {
  return Array.from({ length: count }, (_, i) => {
    const angle = turn + (i / count) * TURN;
    return [radius * Math.cos(angle), radius * Math.sin(angle)];
  });
}

function starCorners(r) {
  return Array.from({ length: 10 }, (_, i) => {
    const angle = -TURN / 4 + (i / 10) * TURN;
    const reach = i % 2 ? r * 0.62 : r * 1.42;
    return [reach * Math.cos(angle), reach * Math.sin(angle)];
  });
}

function crossCorners(r) {
  const [a, b] = [r * 0.42, r * 1.2];
  const quarter = [[-a, -b], [a, -b], [a, -a]];
  const turns = [([x, y]) => [x, y], ([x, y]) => [-y, x], ([x, y]) => [-x, -y], ([x, y]) => [y, -x]];
  const upright = turns.flatMap((turned) => quarter.map(turned));
  return upright.map(([x, y]) => [(x - y) * Math.SQRT1_2, (x + y) * Math.SQRT1_2]);
}

const SHAPES = [
  null,
  (r) => [[-0.89 * r, -0.89 * r], [0.89 * r, -0.89 * r], [0.89 * r, 0.89 * r], [-0.89 * r, 0.89 * r]],
  (r) => regular(4, r * 1.26, -TURN / 4),
  (r) => regular(3, r * 1.45, -TURN / 4),
  (r) => regular(3, r * 1.45, TURN / 4),
  crossCorners,
  starCorners,
  (r) => regular(6, r * 1.1, 0),
];

function trace(ctx, symbol, x, y, r) {
  const shape = SHAPES[symbol];
  ctx.beginPath();
  if (shape) polygon(ctx, x, y, shape(r));
  else {
    ctx.moveTo(x + r, y);
    ctx.arc(x, y, r, 0, TURN);
    ctx.closePath();
  }
}

// One point: filled with an edge in the background's colour, or hollow; a large one is a ring around another.
function stamp(ctx, x, y, look) {
  trace(ctx, look.symbol, x, y, look.hollow ? look.radius - 0.4 : look.radius);
  if (look.hollow) {
    // A point is hidden by one before it, not by a ring around it.
    if (look.radius < RING) {
      ctx.fillStyle = look.edge;
      ctx.fill();
    }
    ctx.strokeStyle = look.colour;
    ctx.lineWidth = look.radius < 4 ? 1.4 : 1.8;
    ctx.stroke();
    return;
  }
  if (look.edgeWidth) {
    // The edge lies outside the point, so that points keep their size.
    ctx.strokeStyle = look.edge;
    ctx.lineWidth = look.edgeWidth * 2;
    ctx.stroke();
  }
  ctx.fillStyle = look.colour;
  ctx.fill();
}
