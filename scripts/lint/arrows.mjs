// The import arrows of ARCHITECTURE.md as lint rules. Untyped, so that test/unit/arrows.test.ts can lint snippets against them quickly.
import boundaries from 'eslint-plugin-boundaries';

/** Who may import what, besides itself. Everything that is not listed is forbidden. */
const arrows = {
  shared: [],
  disk: [],
  engine: ['shared', 'disk'],
  webview: ['shared'],
  child: ['shared'],
  extension: ['shared', 'child', 'disk'],
  server: ['shared', 'engine', 'child'],
  cli: ['shared', 'engine', 'server'],
};

const files = ['src/**/*.ts'];

const elements = Object.keys(arrows).map((type) => ({ type, pattern: `src/${type}` }));

const policies = [
  ...Object.entries(arrows).map(([from, to]) => ({
    from: { element: { type: from } },
    allow: { to: { element: { types: { anyOf: [from, ...to] } } } },
  })),
  // What a picture holds is computed once, for the page and for the terminal.
  { from: { element: { type: 'cli' } }, allow: { to: { file: { categories: 'viewModel' } } } },
  // The one adapter that loads the engine into the extension host; the rest of the extension reaches it by message.
  { from: { file: { categories: 'inHost' } }, allow: { to: { element: { type: 'engine' } } } },
];

const native = { group: ['koffi', 'koffi/*', '@koromix/*'], message: 'Only src/engine/native and src/engine/llama bind native libraries.' };
const vscode = { group: ['vscode'], message: 'Only src/extension knows VS Code.' };
const toolkit = { group: ['@vscode/webview-ui-toolkit', '@vscode/webview-ui-toolkit/*'], message: 'Controls come from src/webview/controls.ts, so that the kit can be exchanged.' };
const notZod = { regex: '^(?!\\.|zod$|zod/)', message: 'src/shared imports nothing but its validation library.' };
const node = { regex: '^(node:|fs$|path$|os$|child_process$|worker_threads$|crypto$)', message: 'The viewer runs in a page, without Node.' };

const forbid = (scope, ...patterns) => ({ files: [scope], rules: { 'no-restricted-imports': ['error', { patterns }] } });

/** koffi.view hands out memory that a desktop VS Code refuses (V8 memory cage), while plain Node takes it: no test can catch that. */
const noView = [
  { selector: "MemberExpression[object.name='koffi'][property.name='view']", message: 'koffi.view throws in Electron; let the library write into a typed array of ours.' },
  { selector: "ImportDeclaration[source.value='koffi'] ImportSpecifier[imported.name='view']", message: 'koffi.view throws in Electron; let the library write into a typed array of ours.' },
  { selector: "VariableDeclarator[init.name='koffi'] Property[key.name='view']", message: 'koffi.view throws in Electron; let the library write into a typed array of ours.' },
];

/** What a report, a log or an answer lists may be longer than the arguments of a call. */
const spreadIntoCalls = [
  { selector: "CallExpression[callee.object.name='Math'][callee.property.name=/^(max|min)$/] > SpreadElement[argument.type!='ArrayExpression']", message: 'A list may be longer than a call takes arguments; use greatest or least of shared/extremes.' },
  { selector: "CallExpression[callee.property.name='push'] > SpreadElement[argument.type!='ArrayExpression']", message: 'A list may be longer than a call takes arguments; use append of shared/append.' },
];

export const restrictedSyntax = [
  ...noView,
  { selector: 'ExportDefaultDeclaration', message: 'Export by name.' },
  { selector: 'TSEnumDeclaration', message: 'Use a union of string literals.' },
];

const inSource = [...restrictedSyntax, ...spreadIntoCalls];

const inEnglishOnly = 'Texts that a user sees go through vscode.l10n.t, with placeholders.';
const shown = ':matches(Literal[value=/[A-Za-z]{2}/], TemplateLiteral)';
/** Texts of messages and inputs, and strings that the extraction of the bundle would not find. */
const untranslated = [
  { selector: `CallExpression[callee.property.name=/^show(Information|Warning|Error)Message$/] > ${shown}`, message: inEnglishOnly },
  { selector: `CallExpression[callee.property.name=/^(show(QuickPick|InputBox|OpenDialog|SaveDialog)|withProgress)$/] > ObjectExpression > Property[key.name=/^(title|placeHolder|prompt|openLabel|saveLabel)$/] > ${shown}:not([expressions.length>0])`, message: inEnglishOnly },
  { selector: "CallExpression[callee.property.name='t'][callee.object.property.name='l10n'][arguments.0.type!='Literal']", message: 'The first argument of l10n.t is a string as it stands in the bundle.' },
];

const onPages = 'Texts of a page go through l10n.t of @vscode/l10n, with placeholders; what comes from a report stands in a node with translate="no".';
const written = ':matches(Literal[value=/[A-Za-z]{2}/], TemplateLiteral:has(> TemplateElement[value.raw=/[A-Za-z]{2}/]))';
/** Children of nodes, and what is said by ear or in a hint, written in English where they are used. */
const untranslatedOnPages = [
  { selector: `CallExpression[callee.name=/^(element|svg)$/] > ${written}:not(:first-child)`, message: onPages },
  { selector: `CallExpression[callee.name='muted'] > ${written}`, message: onPages },
  { selector: `Property[key.value=/^(title|alt|placeholder|aria-(label|description|roledescription|valuetext))$/] > ${written}.value`, message: onPages },
  { selector: `Property[key.name=/^(title|caption|label|summary|empty|placeholder|hint|heading)$/] > ${written}.value`, message: onPages },
  { selector: "CallExpression[callee.property.name='t'][callee.object.name='l10n'][arguments.0.type!='Literal'][arguments.0.type!='ObjectExpression']", message: 'The first argument of l10n.t is a string as it stands in the bundle.' },
];

export const arrowRules = [
  {
    files,
    plugins: { boundaries },
    settings: {
      'boundaries/elements': elements,
      'boundaries/files': [
        { category: 'inHost', pattern: 'src/extension/inHost.ts' },
        { category: 'viewModel', pattern: 'src/webview/model/**/*.ts' },
      ],
      'boundaries/include': files,
      'import/resolver': { node: { extensions: ['.ts', '.d.ts', '.js', '.json'] } },
    },
    rules: {
      'boundaries/dependencies': ['error', { default: 'disallow', policies }],
      'no-restricted-syntax': ['error', ...inSource],
    },
  },
  { files: ['src/extension/**/*.ts'], rules: { 'no-restricted-syntax': ['error', ...inSource, ...untranslated] } },
  { files: ['src/webview/**/*.ts'], rules: { 'no-restricted-syntax': ['error', ...inSource, ...untranslatedOnPages] } },
  forbid('src/**/*.ts', native, vscode, toolkit),
  forbid('src/shared/**/*.ts', notZod),
  forbid('src/engine/**/*.ts', native, vscode, toolkit),
  forbid('src/engine/{native,llama}/**/*.ts', vscode, toolkit),
  forbid('src/extension/**/*.ts', native, toolkit),
  forbid('src/webview/**/*.ts', native, vscode, toolkit, node),
  forbid('src/webview/controls.ts', native, vscode, node),
];
