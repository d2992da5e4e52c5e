// The first section: what each file is, its counts, its functions as a table.

function tile(value, label, kind, title) {
  return el('div.tile' + (kind ? '.' + kind : ''), {title: title || null}, el('dd', null, value), el('dt', null, label));
}

function header_words(file) {
  const module = file.module;
  const words = [];
  words.push('.version ' + (module.version || '?'));
  words.push('.target ' + (module.target.join(', ') || '?'));
  if (module.producer) words.push(module.producer);
  words.push(bytes(file.bytes));
  return words.join(' \u00b7 ');
}

// What was found, its colour, and what is in doubt: an answer about a part is none about the whole.
function trap_verdict(file) {
  const can = file.trap_count - file.never_count;
  const words = [counted(file.kernel_count, 'kernel')];
  let doubt = null;
  if (file.unread.errors > 0) {
    doubt = 'text with ' + counted(file.unread.errors, 'error') + ', the first on line ' + number(file.unread.first_line) + ', could not be read';
  } else if (file.incomplete_count > 0) {
    doubt = (file.function_count === 1 ? 'it' : counted(file.incomplete_count, 'function')) + ' could not be followed in full';
  }
  if (can > 0) words.push(counted(can, 'trap') + ' can fire' + (doubt ? ', maybe more' : ''));
  else words.push(doubt ? 'cannot tell whether anything traps' : 'nothing traps');
  if (file.never_count > 0) words.push(number(file.never_count) + ' never');
  if (file.failure_count > 0) words.push(counted(file.failure_count, 'other failure'));
  return {text: words.join(', ') + (doubt ? ': ' + doubt : ''), kind: can > 0 ? 'bad' : doubt ? 'doubtful' : 'good', doubt: doubt};
}

function fit_words(file) {
  const check = file.check;
  const needs = check.requires;
  const part = file.unread.errors > 0;
  if (part && file.function_count === 0) return {text: 'cannot tell what it needs', kind: 'doubtful'};
  const from = needs.target ? (part ? 'the rest needs PTX ISA ' : 'needs PTX ISA ') + needs.isa + ', ' + needs.target + ' or others' :
    'no target takes all of it';
  if (!check.declared.ok) return {text: from + '; its header does not fit', kind: 'bad'};
  if (!check.declared.isa || !check.declared.target) return {text: from + '; its header is not whole', kind: 'bad'};
  return {text: from + (part ? '; its header fits that' : '; its header fits'), kind: part ? 'doubtful' : null};
}

function count_errors(file) {
  return file.check.diagnostics.filter((one) => one.level === 'error').length;
}

function file_card(file) {
  const totals = file.totals;
  const memory = Object.values(totals.memory).reduce((sum, one) => sum + one, 0);
  const errors = count_errors(file);
  const can = file.trap_count - file.never_count;
  const traps = trap_verdict(file), fit = fit_words(file);
  return el('article.card', {'aria-label': file.file},
    el('h3', null, file.file),
    el('p.dim', null, header_words(file)),
    el('p.lead', null, el('span.' + traps.kind, null, traps.text), '; ',
      el('a' + (fit.kind ? '.' + fit.kind : ''), {href: '#needs'}, fit.text), '.',
      errors > 0 ? [' ', el('a.bad', {href: '#needs'}, counted(errors, 'error') + ' in the text'), '.'] : null),
    el('dl.tiles', null,
      tile(number(file.function_count), 'functions'), tile(number(totals.instructions), 'instructions'),
      tile(number(totals.branches), 'branches', null, number(totals.conditional_branches) + ' of them conditional'),
      tile(number(can) + (traps.doubt ? '+' : ''), 'can trap', can > 0 ? 'bad' : null, traps.doubt), tile(number(memory), 'memory operations'),
      tile(number(totals.registers.max_live), 'most live registers', null,
        totals.registers.max_live_function ? 'in ' + totals.registers.max_live_function : null),
      totals.barriers > 0 ? tile(number(totals.barriers), 'barriers') : null,
      totals.shared_bytes > 0 ? tile(number(totals.shared_bytes), 'shared bytes') : null),
    categories(totals));
}

function categories(totals) {
  const all = Object.entries(totals.by_category).sort((a, b) => b[1] - a[1]);
  if (all.length === 0) return null;
  const most = all[0][1];
  return el('details', null, el('summary', null, 'Instructions by kind'),
    el('table.bars', null, el('tbody', null, all.map(([name, count]) => el('tr', null,
      el('th', {scope: 'row'}, name), el('td.num', null, number(count)),
      el('td.bar-cell', null, bar(count / most)))))));
}

function bar(part) {
  const node = el('span.bar-fill', {'aria-hidden': 'true'});
  node.style.width = Math.max(1, Math.round(part * 100)) + '%';
  return node;
}

const table_columns = [
  {key: 'name', head: 'function', text: true},
  {key: 'traps', head: 'traps', title: 'that can fire'},
  {key: 'instructions', head: 'instructions'},
  {key: 'branches', head: 'branches'},
  {key: 'safety_instructions', head: 'for checks', title: 'instructions that are there only to decide traps'},
  {key: 'memory_operations', head: 'memory'},
  {key: 'max_live', head: 'live', title: 'most registers live at once, in 32-bit registers'},
  {key: 'barriers', head: 'barriers', optional: true},
  {key: 'calls', head: 'calls', optional: true},
  {key: 'shared_bytes', head: 'shared', title: 'bytes of shared memory', optional: true},
  {key: 'local_bytes', head: 'local', title: 'bytes of local memory', optional: true},
  {key: 'blocks', head: 'blocks'},
  {key: 'loops', head: 'loops', optional: true},
  {key: 'unknown_instructions', head: 'unknown', optional: true},
];

function value_in(row, column) {
  if (column.key === 'traps') return row.traps === null ? -1 : row.traps - row.never;
  if (column.text) return title_of(row).toLowerCase();
  return row[column.key] === null ? Infinity : row[column.key];
}

function cell(row, column, differs) {
  if (column.key === 'name') {
    const text = brief_name(row);
    const name = row.document === null ? el('span.clamp', {title: title_of(row)}, text) :
      el('a.clamp', {href: '#f' + row.document, title: title_of(row)}, text);
    return el('th.name', {scope: 'row', title: row.demangled ? row.name : null}, el('div.name-and-tags', null, name,
      row.kind === 'entry' ? null : el('span.tag', null, 'function'),
      row.document === null ? el('span.tag', {title: 'only counted; --kernel shows it in full'}, 'counted') : null),
      differs.has(row) ? el('span.differs', null, differs.get(row)) : null);
  }
  if (column.key === 'traps') {
    const can = row.traps === null ? null : row.traps - row.never;
    const title = row.traps === null ? 'counted where kernels call it' : row.complete ? null : 'not all of it could be followed';
    return el('td.num' + (can > 0 ? '.bad' : ''), {title: title},
      can === null ? '' : number(can) + (row.complete ? '' : '+'));
  }
  return el('td.num', null, number(row[column.key]));
}

const rows_at_once = 200;
const names_alike_from = 50;  // characters: what stands behind may be cut off

function function_table(file, place) {
  const all = rows.filter((row) => row.file === place);
  const columns = table_columns.filter((one) => !one.optional || all.some((row) => row[one.key] > 0));
  const differs = differences(all, (row) => brief_name(row).slice(0, names_alike_from));
  let order = {key: null, down: false};
  let most = rows_at_once;
  const body = el('tbody');
  const more = el('button.more', {type: 'button', onclick: () => { most += 5 * rows_at_once; fill(); }});
  const heads = columns.map((column) => el('th' + (column.text ? '' : '.num'), {scope: 'col', title: column.title || null},
    el('button.sort', {type: 'button', onclick: () => sort_by(column)}, column.head)));
  const filter = el('input.filter', {type: 'search', placeholder: 'only names with\u2026', 'aria-label': 'Only functions with this in their name',
    oninput: () => { most = rows_at_once; fill(); }});

  function sort_by(column) {
    order = {column: column, down: order.column === column ? !order.down : !column.text};
    heads.forEach((head, i) => {
      if (columns[i] === column) head.setAttribute('aria-sort', order.down ? 'descending' : 'ascending');
      else head.removeAttribute('aria-sort');
    });
    fill();
  }

  function fill() {
    const wanted = filter.value.trim().toLowerCase();
    let some = wanted === '' ? all :
      all.filter((row) => row.name.toLowerCase().includes(wanted) || title_of(row).toLowerCase().includes(wanted));
    if (order.column) {
      const sign = order.down ? -1 : 1;
      some = [...some].sort((a, b) => {
        const x = value_in(a, order.column), y = value_in(b, order.column);
        return x < y ? -sign : x > y ? sign : 0;
      });
    }
    body.replaceChildren(...some.slice(0, most).map((row) => el('tr', null, columns.map((column) => cell(row, column, differs)))));
    more.hidden = some.length <= most;
    more.textContent = 'Show more (' + number(some.length - most) + ' are left)';
  }
  fill();

  const notes = [];
  if (file.not_detailed > 0)
    notes.push(counted(file.not_detailed, 'function') + ' of ' + number(file.function_count) +
      ' are only counted here: what is shown in full is bounded, those with traps first. --kernel NAME chooses others, within 12 MB.');
  if (file.functions_omitted > 0)
    notes.push(counted(file.functions_omitted, 'more function') + ' are in the counts above and not in this table.');
  return el('div', null,
    el('div.table-head', null, el('h3', null, page.files.length > 1 ? 'Functions of ' + file.file : 'Functions'),
      all.length > 12 ? filter : null),
    notes.map((note) => el('p.notice', null, note)),
    el('div.wide', null, el('table.functions', {'aria-label': 'Functions of ' + file.file},
      el('thead', null, el('tr', null, heads)), body)),
    more);
}

// All traps of what is shown in full, one row each.
function trap_table() {
  const most = 300;
  const items = [];
  for (const [number_of_document, row] of [...row_of_document].sort((a, b) => a[0] - b[0])) {
    if (!(row.traps > 0) && !(row.failures > 0)) continue;
    const its = document_of(number_of_document);
    [...its.traps, ...its.soft_failures].forEach((trap, i) => items.push({its, row, trap, place: '#f' + number_of_document + '-t' + (i + 1)}));
    if (items.length > most) break;
  }
  if (items.length === 0) return null;
  const several = new Set(items.map((one) => one.row)).size > 1;
  const when = (trap) => {
    if (trap.dead) return el('span.good', null, 'never');
    const alive = trap.ways.filter((way) => !way.dead);
    if (trap.ways.length === 0) return 'not known';
    if (alive.length > 1) return [condition_of(alive[0]), ', or in ' + counted(alive.length - 1, 'other way')];
    return alive.length === 1 ? condition_of(alive[0]) : 'not known';
  };
  const condition_of = (way) => is_unconditional(way) ? 'always, when control gets there' :
    way.condition.op === 'unknown' ? 'on a condition that could not be worked out' : el('code', null, way.condition.text);
  return el('section.trap-table', {'aria-label': 'Traps'}, el('h3', null, items.some((one) => one.trap.kind === 'error-code' || one.trap.kind === 'exit') ? 'Traps and failures' : 'Traps'),
    el('div.wide', null, el('table', {'aria-label': 'Traps'},
      el('thead', null, el('tr', null, ['trap', several ? 'function' : null, 'check', 'fires when', 'source'].map((head) => head && el('th', {scope: 'col'}, head)))),
      el('tbody', null, items.slice(0, most).map((one) => el('tr', null,
        el('th.nowrap', {scope: 'row'}, el('a', {href: one.place}, trap_name(one.trap))),
        several ? el('td.name', null, el('span.clamp', {title: title_of(one.row)}, short_name(one.row))) : null,
        el('td.nowrap', null, one.trap.check === 'unknown' ? one.trap.kind : one.trap.check), el('td', null, when(one.trap)),
        el('td', null, one.trap.source ? [el('span.nowrap', null, one.trap.source.file + ':' + one.trap.source.line), one.trap.source.text ? [' ', el('code.source-line', null, one.trap.source.text)] : null] :
          one.trap.message ? '\u201c' + one.trap.message + '\u201d' : el('span.dim', null, 'line ' + one.trap.line))))))),
    items.length > most ? el('p.dim', null, 'and more; each function shows its own') : null);
}

function fill_overview(section) {
  add(section, [el('h2', null, 'Overview'),
    page.verdict ? el('p.verdict', null, el('a', {href: '#diff'}, 'Difference'), ': ' + page.verdict) : null,
    el('div.cards', null, page.files.map(file_card)), trap_table(),
    page.files.map((file, place) => file.function_count > 0 ? function_table(file, place) : null), el('p.dim', null, 'Made by ptxscope ' + page.version + '. This page is one file and loads nothing.')]);
}
