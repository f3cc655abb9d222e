// Tools in the chart's corner: quiet until somebody comes near, and all of them buttons.

const LABELS = {
  box: 'Choose a box', lasso: 'Draw around points', zoom: 'Zoom into a box', more: 'Zoom in', less: 'Zoom out',
  reset: 'Show everything', clear: 'Let the chosen places go', save: 'Save', fold: 'Tools',
};

function makeTools(chart) {
  const bar = element('div', 'tools');
  bar.setAttribute('role', 'toolbar');
  bar.setAttribute('aria-label', 'Tools of the chart');
  chart.buttons = {};
  const add = (name, act, parent = bar) => {
    const button = element('button', name);
    button.type = 'button';
    button.title = LABELS[name];
    button.setAttribute('aria-label', LABELS[name]);
    button.append(icon(name));
    button.addEventListener('click', act);
    parent.append(button);
    chart.buttons[name] = button;
    return button;
  };
  const fold = add('fold', () => bar.classList.toggle('open'));
  fold.setAttribute('aria-haspopup', 'true');
  const group = element('div', 'group');
  bar.append(group);
  add('clear', () => setBrush(chart, null), group);
  for (const name of ['box', 'lasso', 'zoom']) add(name, () => takeTool(chart, name), group);
  add('less', () => zoomBy(chart, 1.5), group);
  add('more', () => zoomBy(chart, 1 / 1.5), group);
  add('reset', () => zoomReset(chart), group);
  const holder = element('div', 'saving');
  group.append(holder);
  const save = add('save', () => {
    chart.menu.hidden = !chart.menu.hidden;
    save.setAttribute('aria-expanded', String(!chart.menu.hidden));
    if (!chart.menu.hidden) chart.menu.firstChild.focus();
  }, holder);
  save.setAttribute('aria-haspopup', 'menu');
  save.setAttribute('aria-expanded', 'false');
  holder.append(makeMenu(chart, save));
  chart.bar = bar;
  return bar;
}

function makeMenu(chart, save) {
  const menu = element('div', 'menu');
  menu.setAttribute('role', 'menu');
  menu.hidden = true;
  for (const [name, words] of Object.entries(FILES)) {
    const item = element('button', name, words);
    item.type = 'button';
    item.setAttribute('role', 'menuitem');
    item.addEventListener('click', () => {
      closeMenus(chart);
      save.focus();
      saveAs(chart, name);
    });
    menu.append(item);
  }
  menu.addEventListener('keydown', (event) => {
    const items = [...menu.children];
    const at = items.findIndex((item) => item.matches(':focus'));
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) items[(at + step + items.length) % items.length].focus();
    else if (event.key === 'Escape') {
      closeMenus(chart);
      save.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });
  chart.menu = menu;
  return menu;
}

function closeMenus(chart) {
  chart.menu.hidden = true;
  chart.buttons.save.setAttribute('aria-expanded', 'false');
}

// A tool that is taken again is put back.
function takeTool(chart, name) {
  const again = chart.tookTool && chart.tool === name;
  chart.tookTool = !again;
  chart.tool = again ? usualTool(chart.spec) : name;
  chart.memory.tool = again ? null : name;
  updateTools(chart);
}

function usualTool(spec) {
  return spec.select.includes('box') ? 'box' : spec.select.includes('lasso') ? 'lasso' : 'zoom';
}

function updateTools(chart) {
  const { spec, buttons } = chart;
  for (const name of ['box', 'lasso', 'zoom']) {
    if (name !== 'zoom') buttons[name].hidden = !spec.select.includes(name);
    buttons[name].setAttribute('aria-pressed', String(chart.tool === name));
  }
  buttons.zoom.hidden = !spec.select.length;
  buttons.reset.disabled = !isZoomed(chart);
  buttons.clear.hidden = !chart.brush;
  chart.bar.classList.toggle('busy', !!chart.brush || isZoomed(chart));
  // With a tool in hand a finger draws; without one it scrolls the page.
  chart.over.style.touchAction = chart.tookTool ? 'none' : 'pan-y pinch-zoom';
}
