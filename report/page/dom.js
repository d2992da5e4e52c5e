// What the other files build on: elements, text fit to be shown, the page's data.

const page = JSON.parse(document.getElementById('data').textContent);

// Marks that turn the direction of writing, and controls, would show a name as something else.
const unfit = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

function shown(text) {
  return String(text).replace(unfit, (c) => '\\u{' + c.charCodeAt(0).toString(16) + '}');
}

// el('a.link.strong', {href: '#x', onclick: f}, 'text', child, [children]): text never becomes markup.
function el(what, attributes, ...children) {
  const [tag, ...classes] = what.split('.');
  const node = document.createElement(tag || 'div');
  if (classes.length > 0) node.className = classes.join(' ');
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? '' : shown(value));
  }
  add(node, children);
  return node;
}

function add(node, children) {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    if (Array.isArray(child)) add(node, child);
    else if (child instanceof Node) node.appendChild(child);
    else node.appendChild(document.createTextNode(shown(child)));
  }
}

function number(value) {
  return value === null || value === undefined ? '?' : Number(value).toLocaleString('en-US');
}

function counted(count, noun) {
  return number(count) + ' ' + noun + (count === 1 ? '' : 's');
}

function bytes(count) {
  if (count >= 1e6) return (count / 1e6).toFixed(1) + ' MB';
  if (count >= 1e4) return Math.round(count / 1e3) + ' kB';
  return counted(count, 'byte');
}

function announce(text) {
  document.getElementById('status').textContent = shown(text);
}

const reduced = window.matchMedia('(prefers-reduced-motion: reduce)');
function scroll_into(node, block) {
  node.scrollIntoView({block: block || 'center', inline: 'nearest', behavior: reduced.matches ? 'auto' : 'smooth'});
}

// The rows of the functions of all files, as objects, and by document.
const rows = [];
const row_of_document = new Map();
page.files.forEach((file, place) => {
  for (const values of file.functions) {
    const row = {file: place};
    file.columns.forEach((name, i) => { row[name] = values[i]; });
    rows.push(row);
    if (row.document !== null) row_of_document.set(row.document, row);
  }
});

function title_of(row) {
  return row.demangled || row.name;
}

// The last part of a demangled name: without namespaces, return type and parameters. Brackets of all kinds are looked over.
function last_part(name) {
  let depth = 0, begin = 0;
  let part = '';  // up to the last parameter list seen at depth 0
  for (let i = 0; i < name.length; ++i) {
    const c = name[i];
    if (name.startsWith('operator', i) && !/[\w$]/.test(name[i - 1] || ' ')) {
      i += name.startsWith('operator()', i) ? 9 : 7;
      while (/[<>=!+\-*/%&|^~,\[\]]/.test(name[i + 1] || '') && !/^<\w/.test(name.slice(i + 1))) ++i;
      continue;
    }
    if (c === '(' && depth === 0 && i > begin) part = name.slice(begin, i);
    if (c === '<' || c === '(' || c === '{' || c === '[') ++depth;
    else if (c === '>' || c === ')' || c === '}' || c === ']') --depth;
    else if (depth === 0 && c === ' ' && !/^ (const|volatile|&|\[clone)/.test(name.slice(i))) { begin = i + 1; part = ''; }
    else if (depth === 0 && c === ':' && name[i + 1] === ':') { begin = i + 2; part = ''; }
  }
  return part || name.slice(begin) || name;
}

const qualifiers = /(?:[A-Za-z_$][\w$]*|\(anonymous namespace\))::/g;
const longest_title = 80;

// The name as a row of a table has room for it: what templates make of C++ names without namespaces, return type and
// parameters, so that the arguments of the template are seen.
function brief_name(row) {
  if (row.brief !== undefined) return row.brief;
  const title = title_of(row).replace(/^void /, '');
  if (!row.demangled || title.length <= longest_title) return row.brief = title;
  const brief = title.replace(qualifiers, '').replace(/> (?=>)/g, '>');
  let depth = 0;
  for (let i = 0; i < brief.length; ++i) {
    if (brief[i] === '(' && depth === 0 && brief[i - 1] === '>') return row.brief = brief.slice(0, i);
    if ('<({['.includes(brief[i])) ++depth;
    else if ('>)}]'.includes(brief[i])) --depth;
  }
  return row.brief = brief;
}

// Of rows that `name_of` calls the same: in what each differs from the others.
function differences(some, name_of) {
  const groups = new Map();
  for (const row of some) {
    const name = name_of(row);
    if (!groups.has(name)) groups.set(name, []);
    groups.get(name).push(row);
  }
  const out = new Map();
  for (const group of groups.values()) {
    if (group.length === 1) continue;
    const names = group.map(brief_name);
    let same = 0;
    while (same < names[0].length && names.every((name) => name[same] === names[0][same])) ++same;
    while (same > 0 && /[\w$]/.test(names[0][same - 1])) --same;
    group.forEach((row, i) => {
      const rest = names[i].slice(same);
      const is_alone = names.filter((name) => name === names[i]).length === 1;
      out.set(row, is_alone && rest !== '' && name_of(row) !== names[i] ? '\u2026' + rest : 'line ' + number(row.line));
    });
  }
  return out;
}

// What there is room for in a list: the name without namespaces, return type and parameters.
function short_name(row) {
  if (row.demangled) return last_part(row.demangled);
  // A mangled name that is too long to be demangled: its parts are <length><text>.
  const parts = [];
  for (let rest = row.name.replace(/^_ZN?[KV]*/, ''), match; row.name.startsWith('_Z') && (match = rest.match(/^(\d+)/));) {
    const begin = match[1].length, length = Number(match[1]);
    if (length === 0 || begin + length > rest.length) break;
    parts.push(rest.slice(begin, begin + length));
    rest = rest.slice(begin + length);
  }
  return parts.length > 0 ? parts[parts.length - 1] + '\u2026' : row.name;
}

// For the list of contents, which is narrow: long arguments of templates are left to what tells names apart.
function list_name(row) {
  const name = short_name(row).replace(qualifiers, '');
  const begin = name.startsWith('operator') ? -1 : name.indexOf('<', 1);
  return name.length > 24 && begin > 0 && row.demangled ? name.slice(0, begin) : name;
}

// Which function shown in full holds a line of a file.
function document_at(file, line) {
  let found = null;
  for (const row of row_of_document.values())
    if (row.file === file && row.line <= line && (found === null || row.line > found.line)) found = row;
  return found !== null && line <= found.last_line ? found.document : null;
}

const documents = new Map();
// The data of a function shown in full; read when it is asked for.
function document_of(number_of_document) {
  let found = documents.get(number_of_document);
  if (found) return found;
  const node = document.getElementById('function-' + number_of_document);
  found = JSON.parse(node.textContent);
  found.lines = found.code.split('\n');
  found.traps = found.traps || [];
  found.soft_failures = found.soft_failures || [];
  found.params = found.params || [];
  documents.set(number_of_document, found);
  return found;
}

function line_link(file, line) {
  const target = line === null || line === undefined ? null : document_at(file, line);
  if (target === null) return el('span.line-number', null, String(line));
  return el('a.line-number', {href: '#f' + target + '-L' + line, 'aria-label': 'line ' + line}, String(line));
}
