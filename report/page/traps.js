// The traps of a function as cards, each with the conditions under which it fires and the lines that show it.

const wordings = {
  'trap': ['trap', 'fires', 'never fires'],
  'assert': ['assert', 'fails', 'never fails'],
  'noreturn-call': ['panic', 'is called', 'is never called'],
  'exit': ['exit', 'ends the thread silently', 'is never reached'],
  'falls-off-end': ['end of function', 'is run into (undefined)', 'is never run into'],
  'error-code': ['error code', 'is returned', 'is never returned'],
};

function trap_name(trap) {
  return (wordings[trap.kind] || wordings.trap)[0] + ' ' + trap.id;
}

function is_unconditional(way) {
  return way.condition.op === 'true';
}

// "when global.x >= a.len"
function condition_words(trap, way) {
  const verb = (wordings[trap.kind] || wordings.trap)[1];
  if (is_unconditional(way)) return [verb + (way.after.length === 0 ? ' in every thread: nothing guards it' : ' whenever control gets there')];
  if (way.condition.op === 'unknown') return [verb + ' on a condition that could not be worked out'];
  return [verb + ' when ', el('code.condition', null, way.condition.text)];
}

function source_words(source) {
  if (!source) return null;
  const place = (one) => one.file + ':' + one.line + (one.column ? ':' + one.column : '');
  return el('div.source', null, el('span.place', null, place(source)), source.text ? el('code.source-line', null, source.text) : null,
    source.inlined_at.map((inner) => el('div.inlined', null, 'inlined from ' + place(inner) + ' ',
      inner.text ? el('code.source-line', null, inner.text) : null)));
}

// The lines that show a way, with what each is.
function lines_of_way(trap, way) {
  const lines = new Map();
  for (const line of way ? way.evidence : []) lines.set(line, 'shows');
  if (way && way.call_line !== null) lines.set(way.call_line, 'calls');
  if (way && way.setp_line !== null) lines.set(way.setp_line, 'guard');
  if (way && way.branch_line !== null) lines.set(way.branch_line, 'guard');
  if (trap.line !== null) lines.set(trap.line, 'trap');
  return lines;
}

function readable(its, name) {
  return (its.readable || {})[name] || name;
}

// A line without its comment; with those after it, as far as they belong to the same call.
function code_line(its, line) {
  const at = line - its.first_line;
  const text = at >= 0 && at < its.lines.length ? its.lines[at] : (its.outside || {})[line];
  if (text === undefined) return '';
  const bare = (one) => one.replace(/\s*\/\/.*$/, '').trim().replace(/\s+/g, ' ');
  let out = bare(text);
  for (let i = at + 1; at >= 0 && i < its.lines.length && i < at + 12 && /^(@\S+ )?call\b[^;]*$/.test(out); ++i) out += ' ' + bare(its.lines[i]);
  return out;
}

class TrapCard {
  constructor(its, view, trap, key) {
    this.view = view;
    this.trap = trap;
    this.key = key;
    this.its = its;
    const wording = wordings[trap.kind] || wordings.trap;
    const alive = trap.ways.filter((way) => !way.dead);
    const single = trap.ways.length === 1;
    const head = [el('span.trap-name', null, trap_name(trap)), el('span.check', null, trap.check === 'unknown' ? trap.kind : trap.check)];
    this.button = el('button.trap-head', {type: 'button', 'aria-pressed': 'false',
      'aria-label': trap_name(trap) + ', ' + trap.check + (single ? ', when ' + trap.ways[0].condition.text : '')}, head);
    let when;
    if (trap.dead) when = [wording[2] + (single && !is_unconditional(trap.ways[0]) ? ': ' : ''),
      single && !is_unconditional(trap.ways[0]) ? el('code.condition', null, trap.ways[0].condition.text) : null,
      single && !is_unconditional(trap.ways[0]) ? ' cannot be there' : null];
    else if (trap.ways.length === 0) when = [wording[1] + ' under conditions that are not known'];
    else if (single) when = condition_words(trap, trap.ways[0]);
    else when = [wording[1] + ' in ' + counted(alive.length, 'way') +
      (alive.length < trap.ways.length ? ' (' + number(trap.ways.length - alive.length) + ' more never)' : '')];
    const own_places = trap.ways.length > 1 && trap.ways.some((way) => way.source);
    this.node = el('article.trap' + (trap.dead ? '.dead' : ''), {id: 'at-' + view.name + '-' + key, 'aria-label': trap_name(trap),
      onclick: (event) => { if (!event.target.closest('a, button.line-link, button.way-head')) view.select_trap(this, null); }},
      el('h4', null, this.button), el('p.when', null, when),
      own_places ? null : source_words(trap.source),
      trap.message ? el('p.message', null, 'says \u201c' + trap.message + '\u201d') : null,
      trap.callee ? el('p.dim', null, 'calls ' + readable(its, trap.callee)) : null,
      this.ways(trap.ways.map((way, i) => this.way(way, i, single)), single),
      trap.ways_omitted ? el('p.dim', null, 'and ' + counted(trap.ways_omitted, 'more way') + '; explain-trap has all') : null,
      trap.ways.length === 0 ? this.evidence(null) : null,
      trap.notes.map((note) => el('p.dim', null, note)));
  }

  // Many that are never taken would hide those that matter.
  ways(nodes, single) {
    const most = 3;
    const never = nodes.filter((node, i) => this.trap.ways[i].dead);
    if (single || never.length <= most) return nodes;
    return [nodes.filter((node, i) => !this.trap.ways[i].dead),
      el('details.never-ways', null, el('summary', null, counted(never.length, 'way') + ' never taken'), never)];
  }

  way(way, index, single) {
    const parts = [];
    if (!single) parts.push(el('button.way-head', {type: 'button', onclick: () => this.view.select_trap(this, index)},
      el('span.dim', null, way.number + '. '), way.dead ? 'never: ' : null,
      is_unconditional(way) ? 'without condition' : el('code.condition', null, way.condition.text)));
    if (!single) parts.push(source_words(way.source));
    if (!single && way.message && way.message !== this.trap.message) parts.push(el('p.message', null, 'says \u201c' + way.message + '\u201d'));
    const via = way.via.length > 0 ? way.via : this.trap.via;
    if (via.length > 1) parts.push(el('p.dim', null, 'called through ' + via.map((name) => readable(this.its, name)).join(' \u203a ')));
    if (way.after.length > 0) parts.push(el('p.after', null, 'reached when ',
      (way.after_omitted ? ['\u2026 and '] : []).concat(way.after.map((one, i) => [i > 0 ? ' and ' : '', el('code', null, one)]))));
    parts.push(this.evidence(way));
    return el('div.way' + (single ? '' : '.one-of-several'), {'data-way': index}, parts);
  }

  evidence(way) {
    const lines = [...lines_of_way(this.trap, way)].sort((a, b) => a[0] - b[0]);
    if (lines.length === 0) return null;
    const index = way ? this.trap.ways.indexOf(way) : null;
    return el('ol.evidence', null, lines.map(([line, kind]) => el('li.' + kind, null, this.line_button(line, index),
      el('code', null, code_line(this.its, line)), way && line === way.branch_line && line !== this.trap.line ? el('span.dim', null, way.negated ? 'when false' : 'when true') : null)));
  }

  line_button(line, way) {
    if (line >= this.its.first_line && line < this.its.first_line + this.its.lines.length)
      return el('button.line-link', {type: 'button', 'aria-label': 'line ' + line,
        onclick: () => { this.view.select_trap(this, way, true); this.view.choose_line(line, true); }}, line);
    return line_link(this.its.file, line);
  }

  select(is_selected, way) {
    this.node.classList.toggle('selected', is_selected);
    this.button.setAttribute('aria-pressed', String(is_selected));
    for (const node of this.node.querySelectorAll('.way')) node.classList.toggle('chosen', is_selected && Number(node.dataset.way) === way);
  }
}
