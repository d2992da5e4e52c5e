// The PTX of one function, line by line: colours, registers live at each line, marks. Lines far away are drawn when they come
// into view; every line is as high as every other.

const line_height = 20;
const lines_at_once = 200;

const token = new RegExp([
  '(//.*$|/\\*.*?\\*/)',                      // 1 comment
  '("(?:[^"\\\\]|\\\\.)*")',                  // 2 string
  '(@!?%?[\\w$]+)',                           // 3 guard
  '(%[\\w$]+(?:\\.[xyzw])?)',                 // 4 register
  '(\\.[a-zA-Z_][\\w:]*)',                    // 5 directive
  '((?:[a-zA-Z_$][\\w$]*)(?:\\.[\\w:]+)*)',   // 6 opcode, name or label
  '(0[fFdDxX][0-9a-fA-F]+|\\d[\\w.]*)',       // 7 number
].join('|'), 'g');

class CodeView {
  // view: the function's view, which is told of what is pointed at.
  constructor(its, view) {
    this.its = its;
    this.view = view;
    this.first = its.first_line;
    this.live = new Map();
    this.most_live = 0;
    const along = its.live.along;
    for (let i = 0; i < along.length; i += 3) {
      const before = this.live.get(along[i]);
      if (before && before.registers >= along[i + 1]) continue;
      this.live.set(along[i], {registers: along[i + 1], predicates: along[i + 2]});
      this.most_live = Math.max(this.most_live, along[i + 1]);
    }
    this.parameters = new Map(its.params.map((one) => [one.name, one.index]));
    // Of several blocks that begin on one line, the first.
    this.starts = new Map([...its.flow.blocks].reverse().map((block) => [block.first_line, block]));
    this.classes = new Map();  // line: what is marked
    this.chunks = [];
    this.node = el('div.code', {role: 'listbox', tabindex: '0', 'aria-label': 'PTX of ' + title_of(its) + '; arrow keys move line by line',
      onclick: (event) => this.clicked(event), onkeydown: (event) => this.key(event),
      onmouseover: (event) => this.pointed(event), onmouseleave: () => view.hover(null)});
    for (let at = 0; at < its.lines.length; at += lines_at_once) {
      const count = Math.min(lines_at_once, its.lines.length - at);
      const node = el('div.chunk');
      node.style.height = count * line_height + 'px';
      this.chunks.push({node, at, count, drawn: false});
      this.node.appendChild(node);
    }
    if ('IntersectionObserver' in window && this.chunks.length > 2) {
      this.observer = new IntersectionObserver((entries) => {
        for (const entry of entries)
          if (entry.isIntersecting) this.draw(this.chunks.find((chunk) => chunk.node === entry.target));
      }, {rootMargin: '1500px'});
      for (const chunk of this.chunks) this.observer.observe(chunk.node);
    } else {
      this.draw_all();
    }
  }

  draw_all() {
    for (const chunk of this.chunks) this.draw(chunk);
  }

  chunk_of(line) {
    return this.chunks[Math.floor((line - this.first) / lines_at_once)];
  }

  // The element of a line, drawn if need be; null: not of this function.
  line(line) {
    const chunk = line >= this.first ? this.chunk_of(line) : undefined;
    if (!chunk) return null;
    this.draw(chunk);
    return chunk.node.children[line - this.first - chunk.at] || null;
  }

  draw(chunk) {
    if (chunk.drawn) return;
    chunk.drawn = true;
    if (this.observer) this.observer.unobserve(chunk.node);
    const part = document.createDocumentFragment();
    for (let i = chunk.at; i < chunk.at + chunk.count; ++i) part.appendChild(this.line_node(this.first + i, this.its.lines[i]));
    chunk.node.appendChild(part);
  }

  line_node(line, text) {
    const block = this.starts.get(line);
    const live = this.live.get(line);
    const node = el('div.line' + (block ? '.starts' : ''), {role: 'option', id: 'at-' + this.view.name + '-L' + line, 'data-line': line, 'aria-selected': 'false'});
    if (/^\s*(\.loc\b|\/\/|$)/.test(text)) node.classList.add('quiet');
    const pressure = el('span.pressure');
    if (live) {
      pressure.title = counted(live.registers, 'register') + ' and ' + counted(live.predicates, 'predicate') + ' live';
      const fill = el('span.pressure-bar' + (live.registers === this.most_live && this.most_live > 0 ? '.peak' : ''));
      fill.style.width = Math.round(100 * live.registers / Math.max(1, this.most_live)) + '%';
      add(pressure, [fill, el('span.pressure-number', null, live.registers)]);
    }
    const marks = el('span.marks');
    for (const mark of this.view.marks.get(line) || [])
      add(marks, [el('a.mark.' + mark.kind, {href: '#' + this.view.name + '-' + mark.trap, tabindex: '-1', title: mark.title || null}, mark.text)]);
    add(node, [el('span.number', null, line),
      el('span.block', {title: block ? 'block ' + block.id : null}, block ? 'B' + block.id : ''),
      pressure, this.tokens(line, text), marks]);
    for (const name of this.classes.get(line) || []) node.classList.add(name);
    return node;
  }

  // Whether the statement of this line began on a line before it.
  is_continued(line) {
    for (let i = line - this.first - 1; i >= 0; --i) {
      const text = this.its.lines[i].replace(/\/\/.*$/, '').trim();
      if (text !== '') return !/[;{}:]$/.test(text) && !/^\.(loc|file|pragma)\b/.test(text);
    }
    return false;
  }

  tokens(line, text) {
    const node = el('code.text');
    let at = 0, has_opcode = this.is_continued(line);
    for (const match of text.matchAll(token)) {
      if (match.index > at) add(node, [text.slice(at, match.index)]);
      const word = match[0];
      at = match.index + word.length;
      if (match[1]) add(node, [el('span.comment', null, word)]);
      else if (match[2]) add(node, [el('span.string', null, word)]);
      else if (match[3]) add(node, [word.match(/^@!?/)[0], el('span.register', null, word.replace(/^@!?/, ''))]);
      else if (match[4]) add(node, [el('span.register', null, word)]);
      else if (match[5]) { has_opcode = true; add(node, [el('span.directive', null, word)]); }
      else if (match[7]) add(node, [el('span.literal', null, word)]);
      else if (this.parameters.has(word)) add(node, [el('span.parameter', {'data-parameter': this.parameters.get(word)}, word)]);
      else if (this.view.block_of_label.has(word)) add(node, [el('span.label', {'data-block': this.view.block_of_label.get(word)}, word)]);
      else if (!has_opcode && !word.startsWith('$')) { has_opcode = true; add(node, [el('span.opcode', null, word)]); }
      else add(node, [word]);
    }
    if (at < text.length) add(node, [text.slice(at)]);
    return node;
  }

  // Gives each line of the map its classes, in place of those of the same group before.
  mark(group, classes) {
    const prefix = group + '-';
    for (const [line, names] of this.classes) {
      const mine = names.filter((name) => name.startsWith(prefix));
      if (mine.length === 0) continue;
      this.classes.set(line, names.filter((name) => !name.startsWith(prefix)));
      const chunk = this.chunk_of(line);
      if (chunk && chunk.drawn) this.line(line).classList.remove(...mine);
    }
    for (const [line, name] of classes) {
      if (line < this.first || line >= this.first + this.its.lines.length) continue;
      const full = prefix + name;
      this.classes.set(line, [...(this.classes.get(line) || []), full]);
      const chunk = this.chunk_of(line);
      if (chunk.drawn) this.line(line).classList.add(full);
    }
  }

  line_of(event) {
    const node = event.target.closest('.line');
    return node ? Number(node.dataset.line) : null;
  }

  pointed(event) {
    const parameter = event.target.closest('.parameter');
    if (parameter) { this.view.hover({parameter: Number(parameter.dataset.parameter)}); return; }
    const label = event.target.closest('.label');
    if (label) { this.view.hover({block: Number(label.dataset.block)}); return; }
    const register = event.target.closest('.register');
    if (register) { this.view.hover({register: register.textContent}); return; }
    const line = this.line_of(event);
    this.view.hover(line === null ? null : {line: line});
  }

  clicked(event) {
    if (event.target.closest('a')) return;
    const label = event.target.closest('.label');
    const line = this.line_of(event);
    if (label && !this.starts_here(Number(label.dataset.block), line)) { this.view.go_to_block(Number(label.dataset.block), true); return; }
    if (line !== null && String(window.getSelection()) === '') this.view.choose_line(line, false);
  }

  starts_here(block, line) {
    const start = this.its.flow.blocks.find((one) => one.id === block);
    return start !== undefined && start.first_line === line;
  }

  key(event) {
    const steps = {ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20};
    const last = this.first + this.its.lines.length - 1;
    let line = this.view.line === null ? this.first - 1 : this.view.line;
    if (event.key in steps) line = this.view.line === null ? this.first : line + steps[event.key];
    else if (event.key === 'Home') line = this.first;
    else if (event.key === 'End') line = last;
    else return;
    event.preventDefault();
    this.view.choose_line(Math.max(this.first, Math.min(last, line)), true);
  }

  // All places of a register, in the lines that are drawn.
  mark_register(name) {
    for (const node of this.node.querySelectorAll('.register.same')) node.classList.remove('same');
    if (!name) return;
    for (const node of this.node.querySelectorAll('.register'))
      if (node.textContent === name) node.classList.add('same');
  }
}

// Registers live along the code as a curve; a click goes to the line.
function pressure_curve(its, code, go) {
  const points = [...code.live.entries()].sort((a, b) => a[0] - b[0]);
  if (points.length < 2 || code.most_live === 0) return null;
  const width = 1000, height = 56;
  // Many lines share a column: the most of them counts.
  const columns = Math.min(points.length, width);
  const tops = new Array(columns).fill(0);
  points.forEach(([, live], i) => {
    const x = Math.floor(i * columns / points.length);
    tops[x] = Math.max(tops[x], live.registers);
  });
  const ns = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(ns, 'svg');
  svg.setAttribute('viewBox', '0 0 ' + width + ' ' + height);
  svg.setAttribute('preserveAspectRatio', 'none');
  svg.setAttribute('class', 'curve');
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', 'registers live along the code, at most ' + code.most_live);
  let d = 'M0,' + height;
  tops.forEach((top, x) => {
    const y = (height - top / code.most_live * (height - 4)).toFixed(1);
    d += 'L' + (x * width / columns).toFixed(1) + ',' + y + 'L' + ((x + 1) * width / columns).toFixed(1) + ',' + y;
  });
  const path = document.createElementNS(ns, 'path');
  path.setAttribute('d', d + 'L' + width + ',' + height + 'Z');
  svg.appendChild(path);
  const cursor = document.createElementNS(ns, 'rect');
  cursor.setAttribute('class', 'curve-cursor');
  cursor.setAttribute('height', height);
  cursor.setAttribute('width', Math.max(2, width / columns));
  svg.appendChild(cursor);
  const index_at = (event) => {
    const box = svg.getBoundingClientRect();
    return Math.max(0, Math.min(points.length - 1, Math.floor((event.clientX - box.left) / box.width * points.length)));
  };
  const tip = el('span.curve-tip', {'aria-hidden': 'true'});
  cursor.setAttribute('visibility', 'hidden');
  svg.addEventListener('mousemove', (event) => {
    cursor.setAttribute('visibility', 'visible');
    const [line, live] = points[index_at(event)];
    tip.textContent = 'line ' + line + ': ' + live.registers + ' live';
    cursor.setAttribute('x', index_at(event) * width / points.length);
  });
  svg.addEventListener('mouseleave', () => { tip.textContent = ''; cursor.setAttribute('visibility', 'hidden'); });
  svg.addEventListener('click', (event) => go(points[index_at(event)][0]));
  const peak = its.live.peaks[0];
  const head = el('p.curve-head', null, el('span', null, 'Registers live along the code: at most ', el('strong', null, its.live.max_live), ', first at '),
    peak ? el('button.link', {type: 'button', onclick: () => go(peak.first_line)}, 'line ' + peak.first_line) : 'no line',
    its.live.peaks.length > 1 ? el('span.dim', null, ' and ' + counted(its.live.peaks.length - 1, 'more place')) : null, tip);
  return el('div.curve-box', null, head, svg);
}
