// Control flow: the drawing that Graphviz made, with links to the code; and the blocks as a list.

class GraphView {
  constructor(its, view) {
    this.its = its;
    this.view = view;
    this.nodes = new Map();  // block: its group in the drawing
    this.edges = [];         // {from, to, node}
    this.items = new Map();  // block: its item in the list
    this.scale = 1;
    this.frame = el('div.graph', {onclick: (event) => this.clicked(event), onmouseover: (event) => this.pointed(event),
      onmouseleave: () => view.hover(null), onkeydown: (event) => this.key(event)});
    const list = el('details.blocks', {open: its.svg === null}, el('summary', null, 'Blocks as a list'));
    list.addEventListener('toggle', () => this.fill_list(list));
    if (its.svg === null) this.fill_list(list);
    const buttons = el('span.zoom', null,
      el('button', {type: 'button', 'aria-label': 'smaller', onclick: () => this.zoom(this.scale / 1.25)}, '\u2212'),
      el('button', {type: 'button', 'aria-label': 'larger', onclick: () => this.zoom(this.scale * 1.25)}, '+'),
      el('button', {type: 'button', onclick: () => this.fit()}, 'Fit'));
    this.node = el('section.graph-part', {'aria-label': 'Control flow'},
      el('div.part-head', null, el('h3', null, 'Control flow'), el('span.dim', null, this.words()), its.svg === null ? null : buttons),
      its.svg === null ? el('p.notice', null, 'There is no picture: ' + (its.svg_missing || 'none was made') + '.') : this.frame, list);
    if (its.svg !== null) this.draw();
  }

  words() {
    const flow = this.its.flow;
    const traps = flow.blocks.filter((block) => block.ends_in === 'trap').length;
    const words = [counted(flow.blocks.length, 'block'), flow.loops.length === 0 ? 'no loop' : counted(flow.loops.length, 'loop')];
    if (traps > 0) words.push(number(traps) + (traps === 1 ? ' ends in a trap' : ' end in traps'));
    if (!flow.complete) words.push('incomplete: ' + flow.incomplete_reasons.join('; '));
    return words.join(', ');
  }

  draw() {
    const parsed = new DOMParser().parseFromString(this.its.svg, 'image/svg+xml').documentElement;
    if (parsed.nodeName !== 'svg') { this.frame.textContent = 'The picture could not be read.'; return; }
    const svg = document.importNode(parsed, true);
    // Only shapes and text; the program draws nothing else, and nothing else is let in.
    for (const node of [...svg.querySelectorAll('script, foreignObject, image, use, style')]) node.remove();
    for (const link of [...svg.querySelectorAll('a')]) {
      const group = document.createElementNS('http://www.w3.org/2000/svg', 'g');
      const title = link.getAttribute('xlink:title') || link.getAttributeNS('http://www.w3.org/1999/xlink', 'title');
      while (link.firstChild) group.appendChild(link.firstChild);
      if (title) {
        const tip = document.createElementNS('http://www.w3.org/2000/svg', 'title');
        tip.textContent = title;
        tip.setAttribute('class', 'tip');
        group.prepend(tip);
      }
      link.replaceWith(group);
    }
    this.natural = {width: parseFloat(svg.getAttribute('width')), height: parseFloat(svg.getAttribute('height'))};
    svg.setAttribute('role', 'group');
    svg.setAttribute('aria-label', 'control flow graph of ' + shown(title_of(this.its)));
    for (const group of svg.querySelectorAll('g.node, g.edge')) {
      const title = group.querySelector(':scope > title');
      const name = title ? title.textContent : '';
      const ends = [...name.matchAll(/f\d+b(\d+)/g)].map((match) => Number(match[1]));
      if (group.classList.contains('node') && ends.length === 1) this.add_node(group, ends[0]);
      if (group.classList.contains('edge') && ends.length === 2) this.edges.push({from: ends[0], to: ends[1], node: group});
    }
    for (const title of [...svg.querySelectorAll('title:not(.tip)')]) title.remove();
    svg.removeAttribute('class');
    this.svg = svg;
    this.frame.appendChild(svg);
    this.zoom(1);
  }

  add_node(group, id) {
    const block = this.its.flow.blocks[id];
    if (!block) return;
    this.nodes.set(id, group);
    group.dataset.block = id;
    group.setAttribute('role', 'button');
    group.setAttribute('tabindex', this.nodes.size === 1 ? '0' : '-1');
    group.setAttribute('aria-label', this.block_words(block));
    // The last lines of text are the block's last instructions, one each.
    const lines = this.view.lines_of_block(block);
    const texts = [...group.querySelectorAll('text')];
    if (block.falls_off_end) texts.pop();
    const shown_lines = Math.min(lines.length, 8);
    texts.slice(-shown_lines).forEach((text, i, all) => { text.dataset.line = lines[lines.length - all.length + i]; });
  }

  block_words(block) {
    return 'block ' + block.id + (block.label ? ', ' + shown(block.label) : '') + ', lines ' + block.first_line + ' to ' + block.last_line +
      (block.ends_in === 'trap' ? ', traps' : '');
  }

  fit() {
    const width = this.frame.clientWidth - 16, height = this.frame.clientHeight - 16;
    if (width > 0 && height > 0) this.zoom(Math.min(width / this.natural.width, height / this.natural.height), true);
  }

  fit_width() {
    const width = this.frame.clientWidth - 16;
    if (this.svg && width > 0) this.zoom(Math.max(0.75, Math.min(1.2, width / this.natural.width)));
  }

  // The start, at the top.
  show_entry() {
    const node = this.nodes.get(0);
    if (!node) return;
    const box = node.getBoundingClientRect(), frame = this.frame.getBoundingClientRect();
    this.frame.scrollTo({left: this.frame.scrollLeft + (box.left + box.right) / 2 - (frame.left + frame.width / 2), top: 0, behavior: 'instant'});
  }

  zoom(scale, any) {
    this.scale = Math.max(any ? 0.02 : 0.2, Math.min(3, scale));
    if (!this.svg) return;
    this.svg.setAttribute('width', Math.round(this.natural.width * this.scale));
    this.svg.setAttribute('height', Math.round(this.natural.height * this.scale));
  }

  fill_list(list) {
    if (this.items.size > 0) return;
    const edges_of = new Map();
    for (const edge of this.its.flow.edges) {
      if (!edges_of.has(edge.from)) edges_of.set(edge.from, []);
      edges_of.get(edge.from).push(edge);
    }
    const most = 2000;
    const items = this.its.flow.blocks.slice(0, most).map((block) => {
      const item = el('li' + (block.ends_in === 'trap' ? '.traps' : ''), null,
        el('button.link', {type: 'button', onclick: () => this.view.go_to_block(block.id, true)}, 'B' + block.id + (block.label ? ' ' + block.label : '')),
        el('span.dim', null, ' lines ' + block.first_line + '\u2013' + block.last_line + ', ' + counted(block.instructions, 'instruction') +
          (block.max_live === undefined ? '' : ', ' + block.max_live + ' live') + (block.loop_depth > 0 ? ', loop depth ' + block.loop_depth : '') +
          (block.reachable ? '' : ', not reachable') + (block.ends_in === 'trap' ? ', traps' : '')),
        (edges_of.get(block.id) || []).map((edge) => el('div.edge', null, '\u2192 ',
          el('button.link', {type: 'button', onclick: () => this.view.go_to_block(edge.to, true)}, 'B' + edge.to),
          edge.predicate ? ' if ' + edge.predicate : '', edge.cases ? ' case ' + edge.cases.join(', ') : '', edge.back ? ' (back)' : '')));
      this.items.set(block.id, item);
      return item;
    });
    add(list, [el('ol.block-list', null, items),
      this.its.flow.blocks.length > most ? el('p.dim', null, 'and ' + number(this.its.flow.blocks.length - most) + ' more') : null]);
  }

  mark(group, blocks, edges) {
    const name = group + '-block', edge_name = group + '-edge';
    for (const map of [this.nodes, this.items])
      for (const [id, node] of map) node.classList.toggle(name, blocks.has(id));
    for (const edge of this.edges)
      edge.node.classList.toggle(edge_name, (edges || []).some(([from, to]) =>
        (edge.from === from && edge.to === to) || (edge.from === to && edge.to === from)));
  }

  mark_line(line) {
    for (const node of this.frame.querySelectorAll('text.here')) node.classList.remove('here');
    if (line === null) return;
    for (const node of this.frame.querySelectorAll('text[data-line="' + line + '"]')) node.classList.add('here');
  }

  // Scrolls the drawing alone, so that these blocks are seen.
  reveal(blocks) {
    const boxes = blocks.map((id) => this.nodes.get(id)).filter((node) => node).map((node) => node.getBoundingClientRect());
    if (boxes.length === 0) return;
    const frame = this.frame.getBoundingClientRect();
    const middle = (low, high) => (Math.min(...boxes.map((box) => box[low])) + Math.max(...boxes.map((box) => box[high]))) / 2;
    this.frame.scrollTo({left: this.frame.scrollLeft + middle('left', 'right') - (frame.left + frame.width / 2),
      top: this.frame.scrollTop + middle('top', 'bottom') - (frame.top + frame.height / 2),
      behavior: reduced.matches ? 'auto' : 'smooth'});
  }

  pointed(event) {
    const text = event.target.closest('text[data-line]');
    const node = event.target.closest('g.node');
    if (text) this.view.hover({line: Number(text.dataset.line)});
    else this.view.hover(node ? {block: Number(node.dataset.block)} : null);
  }

  clicked(event) {
    const text = event.target.closest('text[data-line]');
    const node = event.target.closest('g.node');
    if (text) this.view.choose_line(Number(text.dataset.line), true);
    else if (node) this.view.go_to_block(Number(node.dataset.block), true);
  }

  // One stop for the tab key; arrows go from block to block, in the order of the text.
  key(event) {
    const node = event.target.closest('g.node');
    if (!node) return;
    const steps = {ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1};
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      this.view.go_to_block(Number(node.dataset.block), true);
    } else if (event.key in steps) {
      event.preventDefault();
      const order = [...this.nodes.keys()].sort((a, b) => a - b);
      const next = this.nodes.get(order[order.indexOf(Number(node.dataset.block)) + steps[event.key]]);
      if (!next) return;
      node.setAttribute('tabindex', '-1');
      next.setAttribute('tabindex', '0');
      next.focus({preventScroll: true});
      this.reveal([Number(next.dataset.block)]);
      this.view.hover({block: Number(next.dataset.block)});
    }
  }
}
