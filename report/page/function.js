// One function: what it is, its parameters, traps, control flow and code, tied together.

const views = new Map();

function view_of(document_number) {
  if (!views.has(document_number)) views.set(document_number, new FunctionView(document_number));
  return views.get(document_number);
}

class FunctionView {
  constructor(document_number) {
    const its = this.its = document_of(document_number);
    this.name = 'f' + document_number;
    this.line = null;
    this.trap = null;
    this.parameter = null;
    this.block_of_label = new Map(its.flow.blocks.filter((one) => one.label).map((one) => [one.label, one.id]));
    this.instruction_lines = [];
    for (let i = 0; i < its.live.along.length; i += 3) this.instruction_lines.push(its.live.along[i]);
    this.instruction_lines.sort((a, b) => a - b);
    this.collect_marks();
    this.code = new CodeView(its, this);
    this.graph = new GraphView(its, this);
    this.cards = [...its.traps, ...its.soft_failures].map((trap, i) => new TrapCard(its, this, trap, 't' + (i + 1)));
    this.node = el('section.function', {id: this.name, 'aria-label': title_of(its), hidden: true}, this.head(), this.parts());
    if (!its.live.complete) this.node.classList.add('no-pressure');
  }

  collect_marks() {
    this.marks = new Map();
    const most = 4;
    const put = (line, mark) => {
      if (line === null || line === undefined) return;
      if (!this.marks.has(line)) this.marks.set(line, []);
      const all = this.marks.get(line);
      if (all.some((one) => one.kind === mark.kind && one.trap === mark.trap)) return;
      if (all.length < most) all.push(mark);
      else if (all.length === most) all.push({kind: 'mark-guard', trap: mark.trap, text: '\u2026', title: 'and more'});
    };
    [...this.its.traps, ...this.its.soft_failures].forEach((trap, i) => {
      const key = 't' + (i + 1);
      put(trap.line, {kind: trap.dead ? 'mark-never' : 'mark-trap', trap: key, text: trap_name(trap) + (trap.dead ? ', never' : ''), title: trap.check});
      for (const way of trap.ways)
        put(way.call_line, {kind: trap.dead ? 'mark-never' : 'mark-guard', trap: key, text: '\u2192 ' + trap_name(trap),
          title: 'called from here: ' + trap_name(trap)});
      for (const way of trap.ways)
        if (way.branch_line !== trap.line)
          put(way.branch_line, {kind: trap.dead ? 'mark-never' : 'mark-guard', trap: key, text: '\u2192 ' + trap_name(trap),
            title: trap_name(trap) + ' when ' + way.condition.text});
    });
  }

  head() {
    const its = this.its;
    const counts = its.counts;
    const row = row_of_document.get(Number(this.name.slice(1)));
    const fact = (value, label, title) => el('span.fact', {title: title || null}, el('strong', null, number(value)), ' ' + label);
    const facts = [fact(counts.instructions, 'instructions'),
      fact(counts.branches, counts.branches === 1 ? 'branch' : 'branches', number(counts.conditional_branches) + ' conditional'),
      fact(counts.registers.max_live, 'registers live at most', 'in 32-bit registers; and ' + counts.registers.max_live_predicates + ' predicates'),
      fact(row.memory_operations, 'memory operations', Object.entries(counts.memory).map(([name, count]) => count + ' ' + name).join(', '))];
    if (its.cost && its.cost.instructions > 0)
      facts.push(fact(its.cost.instructions, 'instructions and ' + counted(its.cost.branches, 'branch').replace('branchs', 'branches') + ' for checks only'));
    if (counts.barriers > 0) facts.push(fact(counts.barriers, 'barriers'));
    if (counts.shared_bytes > 0 || counts.dynamic_shared) facts.push(fact(counts.shared_bytes, 'shared bytes' + (counts.dynamic_shared ? ' and what the launch gives' : '')));
    if (counts.local_bytes > 0) facts.push(fact(counts.local_bytes, 'local bytes'));
    if (counts.calls > 0) facts.push(fact(counts.calls, counts.calls === 1 ? 'call' : 'calls'));
    if (counts.unknown_instructions > 0) facts.push(fact(counts.unknown_instructions, 'instructions not known'));
    return el('header.function-head', null,
      el('h2', {tabindex: '-1'}, its.demangled || its.name),
      el('p.dim', null, its.kind === 'entry' ? 'kernel' : 'function', ', line ' + its.line,
        page.files.length > 1 ? ' of ' + page.files[its.file].file : '', its.demangled ? [' \u00b7 ', el('code', null, its.name)] : null),
      el('p.facts', null, facts), this.parameters(),
      (its.notes || []).map((note) => el('p.notice', null, note)),
      its.complete === false && (its.notes || []).length === 0 ? el('p.notice', null, 'Not all of this function could be followed.') : null);
  }

  parameters() {
    this.parameter_nodes = new Map();
    if (this.its.params.length === 0) return null;
    return el('ul.parameters', {'aria-label': 'Parameters'}, this.its.params.map((one) => {
      const fields = one.fields.length > 0 ? ' {' + one.fields.map((field) => field.label).join(', ') + '}' : '';
      const kind = one.role === 'pointer' ? 'pointer' : one.role === 'aggregate' ? one.bytes + ' bytes' : one.type || one.bytes + ' bytes';
      const node = el('button.parameter-chip', {type: 'button', 'aria-pressed': 'false', title: one.name + ', ' + counted(one.bytes, 'byte'),
        onclick: () => this.select_parameter(this.parameter === one.index ? null : one.index),
        onmouseenter: () => this.hover({parameter: one.index}), onmouseleave: () => this.hover(null)},
        el('strong', null, one.label), fields, ' ', el('span.dim', null, kind));
      this.parameter_nodes.set(one.index, node);
      return el('li', null, node);
    }));
  }

  parts() {
    const its = this.its;
    const go = (line) => this.choose_line(line, true);
    const curve = pressure_curve(its, this.code, go);
    const quiet = el('input', {type: 'checkbox', checked: true, onchange: () => this.code.node.classList.toggle('dimmed', quiet.checked)});
    this.code.node.classList.add('dimmed');
    const code_part = el('section.code-part', {'aria-label': 'Code'},
      curve, this.longest(go),
      el('div.part-head', null, el('h3', null, 'Code'),
        el('label.dim', null, quiet, ' debug lines and comments pale')),
      this.code.node);
    const cards = this.cards.map((card) => card.node);
    const omitted = (its.traps_omitted || 0) + (its.soft_failures_omitted || 0);
    const trap_part = its.first_line !== undefined && 'outside' in its ? el('section.trap-part', {'aria-label': 'Traps'},
      el('div.part-head', null, el('h3', null, 'Traps'), el('span.dim', null, this.trap_words())),
      el('div.trap-list', null, cards.length > 0 ? cards :
        el(its.complete ? 'p.good' : 'p.doubtful', null, its.complete ? 'Nothing traps: no trap, assert, panic or failing exit can be reached.' :
          'Cannot tell whether anything traps: no trap was found, but not all of the function could be followed.'),
      omitted > 0 ? el('p.dim', null, 'and ' + number(omitted) + ' more; explain-trap has all') : null)) : null;
    this.side = el('aside.side', {'aria-label': 'Traps and control flow'}, trap_part, this.graph.node);
    return el('div.parts', null, this.side, code_part);
  }

  trap_words() {
    const dead = this.its.traps.filter((trap) => trap.dead).length;
    const can = this.its.traps.length - dead;
    const words = [];
    if (can > 0) words.push(counted(can, 'can fire').replace('fires', 'fire'));
    if (dead > 0) words.push(number(dead) + ' never');
    if (this.its.soft_failures.length > 0) words.push(counted(this.its.soft_failures.length, 'other failure'));
    return words.join(', ');
  }

  // Registers that live longest where most are live.
  longest(go) {
    const longest = this.its.live.longest;
    if (longest.length === 0) return this.its.live.complete ? null : el('p.notice', null, 'The function is too large to follow its registers.');
    return el('details.longest', null, el('summary', null, 'What lives longest where most registers are live'),
      el('div.wide', null, el('table', null,
        el('thead', null, el('tr', null, ['register', 'holds', 'instructions', 'from', 'to'].map((head) => el('th', {scope: 'col'}, head)))),
        el('tbody', null, longest.map((one) => el('tr', null,
          el('th', {scope: 'row'}, el('code', null, one.register), ' ', el('span.dim', null, one.class)),
          el('td', null, one.value ? el('code', null, one.value) : el('span.dim', null, 'not known')),
          el('td.num', null, number(one.instructions)),
          [one.first_line, one.last_line].map((line) => el('td.num', null, el('button.link', {type: 'button', onclick: () => go(line)}, line)))))))));
  }

  block_at(line) {
    return this.its.flow.blocks.find((one) => one.first_line <= line && line <= one.last_line);
  }

  lines_of_block(block) {
    const lines = this.instruction_lines;
    let low = 0, high = lines.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (lines[middle] < block.first_line) low = middle + 1;
      else high = middle;
    }
    const out = [];
    for (let i = low; i < lines.length && lines[i] <= block.last_line && out.length < block.instructions; ++i) out.push(lines[i]);
    return out;
  }

  // The shortest way from block to block: blocks and edges.
  path(from, to) {
    const before = new Map([[from, null]]);
    const queue = [from];
    const next = new Map();
    for (const edge of this.its.flow.edges) {
      if (!next.has(edge.from)) next.set(edge.from, []);
      next.get(edge.from).push(edge.to);
    }
    for (let i = 0; i < queue.length && !before.has(to); ++i)
      for (const block of next.get(queue[i]) || [])
        if (!before.has(block)) { before.set(block, queue[i]); queue.push(block); }
    if (!before.has(to)) return [];
    const edges = [];
    for (let at = to; before.get(at) !== null; at = before.get(at)) edges.push([before.get(at), at]);
    return edges;
  }

  select_trap(card, way_index, stay) {
    const trap = card.trap;
    const first_alive = trap.ways.findIndex((way) => !way.dead);
    const index = way_index === null || way_index === undefined ? Math.max(0, first_alive) : way_index;
    const way = trap.ways[index] || null;
    for (const other of this.cards) other.select(other === card, index);
    this.trap = card;
    const lines = lines_of_way(trap, way);
    this.code.mark('found', lines);
    const block_of = (line) => line === null ? undefined : this.block_at(line);
    const end = block_of(trap.line) || (way ? block_of(way.call_line) : undefined);
    const start = way ? block_of(way.branch_line) : undefined;
    const edges = start && end ? this.path(start.id, end.id) : [];
    const blocks = new Set(edges.flat());
    for (const block of [start, end]) if (block) blocks.add(block.id);
    this.graph.mark('found', blocks, edges);
    this.graph.reveal([...blocks]);
    const parameters = way ? way.params : trap.params;
    for (const [number_of, node] of this.parameter_nodes) node.classList.toggle('behind', parameters.includes(number_of));
    const inside = [...lines.keys()].filter((line) => this.code.line(line) !== null);
    const guard = way && this.code.line(way.branch_line || 0) ? way.branch_line : inside[0];
    if (!stay) {
      if (guard !== undefined) scroll_into(this.code.line(guard));
      // Beside the code the card stays in view; above it the lines are what was asked for.
      if (getComputedStyle(this.side).position === 'sticky') card.node.scrollIntoView({block: 'nearest'});
      announce(trap_name(trap) + (way && !is_unconditional(way) ? ', when ' + way.condition.text : '') + '. Highlighted: line ' + inside.join(', ') + '.');
      replace_place('#' + this.name + '-' + card.key);
    }
  }

  clear() {
    for (const card of this.cards) card.select(false);
    this.trap = null;
    this.code.mark('found', new Map());
    this.graph.mark('found', new Set(), []);
    for (const node of this.parameter_nodes.values()) node.classList.remove('behind');
    this.select_parameter(null);
    this.choose_line(null, false);
  }

  choose_line(line, scroll) {
    if (this.line !== null && this.code.line(this.line)) this.code.line(this.line).setAttribute('aria-selected', 'false');
    this.line = null;
    const node = line === null ? null : this.code.line(line);
    this.code.mark('line', node ? new Map([[line, 'chosen']]) : new Map());
    const block = node ? this.block_at(line) : undefined;
    this.graph.mark('chosen', new Set(block ? [block.id] : []), []);
    this.graph.mark_line(node ? line : null);
    if (!node) { this.code.node.removeAttribute('aria-activedescendant'); return; }
    this.line = line;
    node.setAttribute('aria-selected', 'true');
    this.code.node.setAttribute('aria-activedescendant', node.id);
    if (scroll) scroll_into(node, 'center');
    if (block) this.graph.reveal([block.id]);
    replace_place('#' + this.name + '-L' + line);
  }

  go_to_block(id, scroll) {
    const block = this.its.flow.blocks[id];
    if (!block) return;
    this.choose_line(block.first_line, scroll);
    announce('block ' + id + ', lines ' + block.first_line + ' to ' + block.last_line);
  }

  lines_with_parameter(index) {
    const name = (this.its.params.find((one) => one.index === index) || {}).name;
    const lines = new Map();
    if (name === undefined) return lines;
    this.its.lines.forEach((text, i) => {
      if (!text.includes(name)) return;
      const found = text.match(/[\w$]+/g);
      if (found && found.includes(name)) lines.set(this.its.first_line + i, 'parameter');
    });
    for (const trap of this.its.traps)
      for (const way of trap.ways)
        if (way.params.includes(index)) for (const line of [way.setp_line, way.branch_line]) if (line !== null) lines.set(line, 'parameter');
    return lines;
  }

  select_parameter(index) {
    this.parameter = index;
    for (const [number_of, node] of this.parameter_nodes) node.setAttribute('aria-pressed', String(number_of === index));
    const lines = index === null ? new Map() : this.lines_with_parameter(index);
    this.code.mark('pinned', lines);
    for (const card of this.cards) card.node.classList.toggle('pinned', index !== null && card.trap.params.includes(index));
    if (index === null) return;
    announce(counted(lines.size, 'line') + ' marked');
    const body = [...lines.keys()].sort((a, b) => a - b).find((line) => this.block_at(line));
    if (body !== undefined) scroll_into(this.code.line(body));
  }

  // What is pointed at: {line}, {block}, {parameter}, {register} or null.
  hover(what) {
    const key = JSON.stringify(what);
    if (key === this.hovered) return;
    this.hovered = key;
    const lines = new Map();
    const blocks = new Set();
    this.code.mark_register(what && what.register);
    for (const node of this.parameter_nodes.values()) node.classList.remove('hover');
    for (const card of this.cards) card.node.classList.remove('hover');
    if (what && what.line !== undefined) {
      lines.set(what.line, 'hover');
      const block = this.block_at(what.line);
      if (block) blocks.add(block.id);
      this.graph.mark_line(what.line);
      const text = code_line(this.its, what.line);
      for (const one of this.its.params)
        if (text.includes(one.name) && (text.match(/[\w$]+/g) || []).includes(one.name)) this.parameter_nodes.get(one.index).classList.add('hover');
    } else {
      this.graph.mark_line(this.line);
    }
    if (what && what.block !== undefined) {
      const block = this.its.flow.blocks[what.block];
      blocks.add(what.block);
      if (block) for (let line = block.first_line; line <= block.last_line; ++line) lines.set(line, 'hover');
    }
    if (what && what.parameter !== undefined) {
      for (const [line] of this.lines_with_parameter(what.parameter)) {
        lines.set(line, 'hover');
        const block = this.block_at(line);
        if (block) blocks.add(block.id);
      }
      const node = this.parameter_nodes.get(what.parameter);
      if (node) node.classList.add('hover');
      for (const card of this.cards) card.node.classList.toggle('hover', card.trap.params.includes(what.parameter));
    }
    this.code.mark('point', lines);
    this.graph.mark('point', blocks, []);
  }

  shown_first() {
    if (this.was_shown) return;
    this.was_shown = true;
    this.graph.fit_width();
    this.graph.show_entry();
  }
}
