// What the module needs, whether its header fits, and all that is wrong with the text.

function line_list(file, lines, count) {
  const out = [];
  lines.forEach((line, i) => out.push(i === 0 ? '' : ', ', line_link(file, line)));
  if (count > lines.length) out.push(' and ' + number(count - lines.length) + ' more');
  return out;
}

function needs_table(place, check) {
  if (check.reasons.length === 0) return el('p', null, 'No line needs more than the first PTX.');
  return el('div.wide', null, el('table', {'aria-label': 'What it needs'},
    el('thead', null, el('tr', null, ['what', 'PTX ISA', '.target', 'lines'].map((head) => el('th', {scope: 'col'}, head)))),
    el('tbody', null, check.reasons.map((reason) => el('tr' + (reason.decides ? '.decides' : ''), null,
      el('th', {scope: 'row', title: reason.note}, reason.feature),
      el('td', null, reason.isa || 'any'),
      el('td', {title: reason.targets ? reason.targets.join(', ') : null},
        reason.rule === 'PTX-ILLEGAL' ? 'none' : reason.target ? 'from ' + reason.target : 'any'),
      el('td', null, line_list(place, reason.lines, reason.count)))))));
}

function targets_table(check) {
  const by_version = new Map();
  for (const [target, version] of Object.entries(check.requires.by_target)) {
    if (!by_version.has(version)) by_version.set(version, []);
    by_version.get(version).push(target);
  }
  if (by_version.size === 0) return null;
  const order = [...by_version.keys()].sort((a, b) => a.localeCompare(b, 'en', {numeric: true}));
  return el('details.not-printed', null, el('summary', null, 'Targets that take it, and from which .version on'),
    el('table', null, el('tbody', null, order.map((version) => el('tr', null,
      el('th', {scope: 'row'}, '.version ' + version), el('td', null, by_version.get(version).join(', ')))))));
}

function problem_list(place, head, problems, kind) {
  if (problems.length === 0) return null;
  const most = 200;
  return [el('h4', null, head), el('ul.problems', null, problems.slice(0, most).map((one) => el('li.' + (kind || one.level), null,
    el('span.level', null, kind || one.level), ' line ', one.lines && one.lines.length > 0 ? line_list(place, one.lines, one.count) : line_link(place, one.line), ': ',
    one.message, ' ', el('code.rule', null, one.rule),
    one.remedy ? el('div.remedy', null, one.remedy) : null,
    (one.notes || []).map((note) => el('div.dim', null, 'line ', line_link(place, note.line), ': ' + note.message))))),
    problems.length > most ? el('p.dim', null, 'and ' + number(problems.length - most) + ' more; ptxscope check has all') : null];
}

function needs_of(file, place) {
  const check = file.check;
  const declared = check.declared;
  const loads = check.loads_on[0];
  const part = file.unread.errors > 0;
  const header = !declared.ok ? {text: 'it does not fit', kind: 'bad'} :
    !declared.isa || !declared.target ? {text: 'it is not whole', kind: 'bad'} :
    part ? {text: 'it fits what could be read', kind: 'doubtful'} : {text: 'it fits', kind: 'good'};
  return el('article', {'aria-label': 'Requirements of ' + file.file},
    page.files.length > 1 ? el('h3', null, file.file) : null,
    el('p.lead', null, 'The header says .version ' + (declared.isa || '?') + ', .target ' + (declared.target || '?') + ': ',
      el('strong.' + header.kind, null, header.text), '. ',
      part && file.function_count === 0 ? 'Nothing was read of which could be told what it needs.' :
      check.requires.target ? (part ? 'What could be read needs PTX ISA ' : 'The code needs PTX ISA ') + check.requires.isa + ' at least, ' + check.requires.target + ' or another of ' +
        counted(check.requires.targets.length, 'target') + '.' : 'No target takes all of it.'),
    loads ? el('p', null, 'Reading it takes CUDA ' + loads.cuda + (loads.driver ? ', a Linux driver ' + loads.driver : '') +
      (loads.driver_windows ? ' or a Windows driver ' + loads.driver_windows : '') + '.') : null,
    declared.explanations.map((one) => el('p.dim', null, one)),
    check.complete ? null : el('p.notice', null, 'Not all of the text is known; this holds for the rest.'),
    check.features.length > 0 ? el('p', null, 'Features: ', check.features.map((one) => [el('span.tag', null, one), ' '])) : null,
    problem_list(place, 'What does not fit', declared.problems, 'problem'),
    problem_list(place, 'Errors and warnings of the text', check.diagnostics),
    problem_list(place, 'Advice', declared.advice, 'advice'),
    problem_list(place, 'Not known', check.unknown, 'unknown'),
    el('h4', null, 'Lines that set it'), needs_table(place, check), targets_table(check));
}

function fill_needs(section) {
  add(section, [el('h2', null, 'Requirements'), page.files.map(needs_of)]);
}
