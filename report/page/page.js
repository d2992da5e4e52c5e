// Which section is shown; the list of contents; the start.

let current_view = null;
const drawn = new Set();

function draw_section(name) {
  if (drawn.has(name)) return;
  drawn.add(name);
  if (name === 'overview') fill_overview(document.getElementById('overview'));
  if (name === 'diff') fill_diff(document.getElementById('diff'));
  if (name === 'needs') fill_needs(document.getElementById('needs'));
}

// The program wrote it as a table; its line numbers lead to the code, where that is shown in full.
function fill_diff(section) {
  section.prepend(el('h2', null, 'Difference'));
  for (const row of section.querySelectorAll('.diff-code tbody tr')) {
    [...row.querySelectorAll('.diff-line')].forEach((cell, file) => {
      if (cell.textContent !== '') cell.replaceChildren(line_link(file, Number(cell.textContent)));
    });
  }
}

function show_section(node) {
  for (const other of document.getElementById('main').querySelectorAll(':scope > section')) other.hidden = other !== node;
  for (const link of document.querySelectorAll('#contents a')) {
    if (link.getAttribute('href') === '#' + node.id) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  const current = document.querySelector('#contents a[aria-current]');
  if (current) current.scrollIntoView({block: 'nearest', inline: 'nearest'});
}

function show_function(number_of_document) {
  const view = view_of(number_of_document);
  if (!view.node.isConnected) document.getElementById('main').appendChild(view.node);
  current_view = view;
  show_section(view.node);
  view.shown_first();
}

// Moves to what `place` names without a new entry in the history for each marked line.
function replace_place(place) {
  if (window.location.hash !== place) window.history.replaceState(null, '', place);
}

function go_to(place) {
  if (window.location.hash !== place) window.history.pushState(null, '', place);
  show_place();
}

function show_place() {
  const hash = window.location.hash.slice(1);
  const match = hash.match(/^f(\d+)(?:-(?:L(\d+)|B(\d+)|t(\d+)))?$/);
  if (match && row_of_document.has(Number(match[1]))) {
    show_function(Number(match[1]));
    if (match[2]) current_view.choose_line(Number(match[2]), true);
    else if (match[3]) current_view.go_to_block(Number(match[3]), true);
    else if (match[4] && current_view.cards[Number(match[4]) - 1]) current_view.select_trap(current_view.cards[Number(match[4]) - 1], null);
    else window.scrollTo(0, 0);
    return;
  }
  const name = hash === 'needs' || (hash === 'diff' && page.verdict) ? hash : 'overview';
  draw_section(name);
  current_view = null;
  show_section(document.getElementById(name));
  window.scrollTo(0, 0);
}

function fill_contents(nav) {
  const fits = page.files.every((file) => file.check.declared.ok && count_errors(file) === 0);
  const item = (href, text, badge, kind) => el('li', null, el('a', {href: href}, el('span.entry', null, text),
    badge ? el('span.badge' + (kind ? '.' + kind : ''), null, badge) : null));
  const top = [item('#overview', 'Overview'), item('#needs', 'Requirements', fits ? '\u2713' : '!', fits ? 'good' : 'bad')];
  if (page.verdict) top.push(item('#diff', 'Difference', page.same_code ? '=' : '\u2260', page.same_code ? 'good' : null));
  add(nav, [el('ul', null, top)]);
  page.files.forEach((file, place) => {
    const full = rows.filter((row) => row.file === place && row.document !== null).sort((a, b) => a.document - b.document);
    const more = file.function_count - full.length;
    const differs = differences(full, list_name);
    add(nav, [el('h2', null, page.files.length > 1 ? file.file : 'Functions'),
      el('ul', null, full.map((row) => {
        const can = row.traps === null ? 0 : row.traps - row.never;
        const what = differs.has(row) ? [list_name(row), el('span.differs', null, differs.get(row))] : list_name(row);
        const node = item('#f' + row.document, what, can > 0 ? number(can) : null, 'bad');
        const link = node.firstChild;
        link.title = shown(title_of(row));
        if (can > 0) link.setAttribute('aria-label', shown(short_name(row)) + ', ' + counted(can, 'trap') + ' can fire');
        return node;
      })),
      more > 0 ? el('p.dim', null, el('a', {href: '#overview'}, counted(more, 'more function') + ', only counted')) : null]);
  });
}

function start() {
  fill_contents(document.getElementById('contents'));
  start_keys(new Search());
  window.addEventListener('hashchange', show_place);
  // A link to the place that is shown already must work too.
  document.addEventListener('click', (event) => {
    const link = event.target.closest('a[href^="#"]:not(.skip)');
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    go_to(link.getAttribute('href'));
  });
  window.addEventListener('beforeprint', prepare_print);
  window.addEventListener('afterprint', finish_print);
  show_place();
  document.documentElement.dataset.ready = 'yes';
}

start();
