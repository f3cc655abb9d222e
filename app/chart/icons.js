// Pictures of the tools, as strokes in a square of 20.

const ICONS = {
  box: [
    'M4 7V5.2A1.2 1.2 0 0 1 5.2 4H7',
    'M13 4h1.8A1.2 1.2 0 0 1 16 5.2V7',
    'M16 13v1.8a1.2 1.2 0 0 1-1.2 1.2H13',
    'M7 16H5.2A1.2 1.2 0 0 1 4 14.8V13',
    'M9.2 4h1.6M9.2 16h1.6M4 9.2v1.6M16 9.2v1.6',
  ],
  lasso: [
    'M10 3.8c3.7 0 6.6 1.9 6.6 4.4s-2.9 4.4-6.6 4.4-6.6-1.9-6.6-4.4S6.3 3.8 10 3.8Z',
    'M6.2 12a1.7 1.7 0 1 0-.2 3.1c.6 0 .9.6.7 1.5',
  ],
  zoom: ['M9 14.2A5.2 5.2 0 1 0 9 3.8a5.2 5.2 0 0 0 0 10.4Z', 'M12.8 12.8 16.4 16.4'],
  more: ['M10 5v10M5 10h10'],
  less: ['M5 10h10'],
  reset: ['M4.2 8.2A6 6 0 1 1 4 11', 'M4 4.6v3.8h3.8'],
  clear: ['M5.5 5.5l9 9M14.5 5.5l-9 9'],
  save: ['M10 3.8v8.4', 'M6.6 9 10 12.4 13.4 9', 'M4.2 15.8h11.6'],
  fold: ['M4.5 10h.01M10 10h.01M15.5 10h.01'],
};

function icon(name) {
  const space = 'http://www.w3.org/2000/svg';
  const picture = document.createElementNS(space, 'svg');
  picture.setAttribute('viewBox', '0 0 20 20');
  picture.setAttribute('aria-hidden', 'true');
  for (const d of ICONS[name]) {
    const path = document.createElementNS(space, 'path');
    path.setAttribute('d', d);
    picture.append(path);
  }
  return picture;
}
