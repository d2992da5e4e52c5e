// Search, keys, colours, print.

const key_table = [
  ['/', 'search'],
  ['j  k', 'next, previous trap'],
  ['n  p', 'next, previous function shown in full'],
  ['Enter', 'on a trap, block or found item: go there'],
  ['\u2191 \u2193', 'in the code: line by line; in the graph: block by block'],
  ['o  r  d', 'overview, requirements, difference'],
  ['t', 'light or dark'],
  ['Esc', 'close; clear what is marked'],
  ['?', 'this list'],
];

function fill_help(dialog) {
  add(dialog, [el('h2', {id: 'help-title'}, 'Keys'),
    el('table', null, el('tbody', null, key_table.map(([key, what]) => el('tr', null,
      el('th', {scope: 'row'}, key.split(/\s+/).map((one) => [el('kbd', null, one), ' '])), el('td', null, what))))),
    el('form', {method: 'dialog'}, el('button', {type: 'submit', autofocus: true}, 'Close'))]);
}

// ---- light and dark

const dark = window.matchMedia('(prefers-color-scheme: dark)');

function kept(name, value) {
  // A page from a file may not be let to keep anything.
  try {
    if (value !== undefined) window.localStorage.setItem(name, value);
    return window.localStorage.getItem(name);
  } catch (error) {
    return null;
  }
}

function set_theme(theme) {
  document.documentElement.dataset.theme = theme;
  const button = document.getElementById('theme');
  button.textContent = theme === 'dark' ? 'Light' : 'Dark';
  button.setAttribute('aria-label', 'show the page ' + (theme === 'dark' ? 'light' : 'dark'));
}

function switch_theme() {
  const theme = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
  kept('ptxscope-theme', theme);
  set_theme(theme);
}

// ---- search

class Search {
  constructor() {
    this.input = document.getElementById('search');
    this.list = document.getElementById('results');
    this.chosen = -1;
    this.input.addEventListener('input', () => this.find());
    this.input.addEventListener('focus', () => this.find());
    this.input.addEventListener('keydown', (event) => this.key(event));
    this.input.addEventListener('blur', () => setTimeout(() => this.close(), 150));
  }

  find() {
    const wanted = this.input.value.trim().toLowerCase();
    if (wanted === '') { this.close(); return; }
    const found = [];
    const most = 12;
    const functions = rows.filter((row) => row.document !== null && (row.name.toLowerCase().includes(wanted) || title_of(row).toLowerCase().includes(wanted)));
    for (const row of functions.slice(0, most)) found.push({text: brief_name(row), kind: row.kind === 'entry' ? 'kernel' : 'function', place: '#f' + row.document});
    if (current_view) {
      for (const card of current_view.cards) {
        const text = card.node.textContent.toLowerCase();
        if (text.includes(wanted)) found.push({text: trap_name(card.trap) + (card.trap.ways.length === 1 ? ': ' + card.trap.ways[0].condition.text : ''), kind: 'trap',
          place: '#' + current_view.name + '-' + card.key});
        if (found.length >= 2 * most) break;
      }
      let lines = 0;
      const its = current_view.its;
      for (let i = 0; i < its.lines.length && lines < most; ++i) {
        if (!its.lines[i].toLowerCase().includes(wanted)) continue;
        ++lines;
        found.push({text: its.lines[i].trim().slice(0, 100), kind: 'line ' + (its.first_line + i), place: '#' + current_view.name + '-L' + (its.first_line + i)});
      }
    }
    this.show(found);
  }

  show(found) {
    this.found = found;
    this.chosen = found.length > 0 ? 0 : -1;
    this.list.replaceChildren(...(found.length > 0 ? found.map((one, i) => el('li', {role: 'option', id: 'result-' + i, 'aria-selected': String(i === 0),
      onmousedown: (event) => { event.preventDefault(); this.go(i); }}, el('span.result-kind', null, one.kind), el('span.result-text', null, one.text))) :
      [el('li.dim', {role: 'option', 'aria-selected': 'false'}, current_view ? 'nothing found' : 'nothing found; in a function its code is searched too')]));
    this.list.hidden = false;
    this.input.setAttribute('aria-expanded', 'true');
    this.choose(this.chosen);
  }

  choose(i) {
    this.chosen = i;
    [...this.list.children].forEach((node, at) => node.setAttribute('aria-selected', String(at === i)));
    if (i >= 0) {
      this.input.setAttribute('aria-activedescendant', 'result-' + i);
      this.list.children[i].scrollIntoView({block: 'nearest'});
    } else {
      this.input.removeAttribute('aria-activedescendant');
    }
  }

  go(i) {
    const one = (this.found || [])[i];
    if (!one) return;
    this.close();
    this.input.blur();
    go_to(one.place);
  }

  close() {
    this.list.hidden = true;
    this.input.setAttribute('aria-expanded', 'false');
    this.input.removeAttribute('aria-activedescendant');
  }

  key(event) {
    const count = (this.found || []).length;
    if (event.key === 'ArrowDown' && count > 0) this.choose((this.chosen + 1) % count);
    else if (event.key === 'ArrowUp' && count > 0) this.choose((this.chosen + count - 1) % count);
    else if (event.key === 'Enter') this.go(this.chosen);
    else if (event.key === 'Escape') { this.input.value = ''; this.close(); this.input.blur(); }
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

// ---- keys

function step_trap(step) {
  const order = [...row_of_document.keys()].filter((one) => row_of_document.get(one).traps > 0 || row_of_document.get(one).failures > 0).sort((a, b) => a - b);
  if (order.length === 0) { announce('nothing traps here'); return; }
  let at = current_view ? Number(current_view.name.slice(1)) : null;
  if (current_view && current_view.cards.length > 0) {
    const cards = current_view.cards;
    const index = current_view.trap ? cards.indexOf(current_view.trap) + step : step > 0 ? 0 : cards.length - 1;
    if (cards[index]) { current_view.select_trap(cards[index], null); cards[index].button.focus({preventScroll: true}); return; }
  }
  const next = at === null ? order[step > 0 ? 0 : order.length - 1] :
    step > 0 ? order.find((one) => one > at) : order.filter((one) => one < at).pop();
  if (next === undefined) { announce(step > 0 ? 'this was the last trap' : 'this was the first trap'); return; }
  show_function(next);
  const cards = current_view.cards;
  const card = cards[step > 0 ? 0 : cards.length - 1];
  current_view.select_trap(card, null);
  card.button.focus({preventScroll: true});
}

function step_function(step) {
  const at = current_view ? Number(current_view.name.slice(1)) : step > 0 ? -1 : row_of_document.size;
  if (row_of_document.has(at + step)) go_to('#f' + (at + step));
}

function start_keys(search) {
  const help = document.getElementById('help');
  fill_help(help);
  document.getElementById('keys').addEventListener('click', () => help.showModal());
  document.getElementById('theme').addEventListener('click', switch_theme);
  document.addEventListener('keydown', (event) => {
    const writes = event.target.closest('input, textarea, select');
    if (event.ctrlKey || event.metaKey || event.altKey || help.open || (writes && event.key !== 'Escape')) return;
    const what = {
      '/': () => { search.input.focus(); search.input.select(); },
      'j': () => step_trap(1), 'k': () => step_trap(-1), 'n': () => step_function(1), 'p': () => step_function(-1),
      'o': () => go_to('#overview'), 'r': () => go_to('#needs'), 'd': () => { if (page.verdict) go_to('#diff'); },
      't': switch_theme, '?': () => help.showModal(), 'Escape': () => { if (writes) writes.blur(); else if (current_view) current_view.clear(); },
    }[event.key];
    if (!what) return;
    event.preventDefault();
    what();
  });
  set_theme(kept('ptxscope-theme') || (dark.matches ? 'dark' : 'light'));
  dark.addEventListener('change', () => { if (!kept('ptxscope-theme')) set_theme(dark.matches ? 'dark' : 'light'); });
}

// ---- print: all that is shown in full, as far as it is a reasonable stack of paper

const most_printed_lines = 6000;

function prepare_print() {
  for (const name of page.verdict ? ['overview', 'needs', 'diff'] : ['overview', 'needs']) draw_section(name);
  let lines = 0;
  for (const one of [...row_of_document.keys()].sort((a, b) => a - b)) {
    const row = row_of_document.get(one);
    lines += row.last_line - row.line + 1;
    if (lines > most_printed_lines && !(current_view && current_view.name === 'f' + one)) continue;
    const view = view_of(one);
    if (!view.node.isConnected) document.getElementById('main').appendChild(view.node);
    view.code.draw_all();
    view.node.classList.add('printed');
  }
  for (const node of document.querySelectorAll('details')) {
    if (node.open || node.matches('.blocks, .not-printed')) continue;
    node.open = true;
    node.dataset.forPrint = '1';
  }
}

function finish_print() {
  for (const node of document.querySelectorAll('details[data-for-print]')) {
    node.open = false;
    delete node.dataset.forPrint;
  }
}
