import js from '@eslint/js';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';
import { arrowRules, restrictedSyntax } from './scripts/lint/arrows.mjs';

const sizes = {
  'max-lines': ['error', { max: 500, skipBlankLines: true, skipComments: true }],
  'max-lines-per-function': ['error', { max: 80, skipBlankLines: true, skipComments: true }],
  complexity: ['error', 20],
  'max-depth': ['error', 4],
  'max-params': ['error', 5],
};

const typed = {
  files: ['**/*.ts', '**/*.mts'],
  extends: [js.configs.recommended, tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
  languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
  rules: {
    ...sizes,
    eqeqeq: 'error',
    'no-console': 'error',
    'no-restricted-syntax': ['error', ...restrictedSyntax],
    '@typescript-eslint/consistent-type-definitions': 'off',
    '@typescript-eslint/consistent-type-imports': 'error',
    '@typescript-eslint/explicit-module-boundary-types': 'error',
    '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
    // Numbers in messages are what this product prints; objects stay forbidden.
    '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
    // `() => emitter.fire(x)` is how listeners are written.
    '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true }],
    // With noPropertyAccessFromIndexSignature the compiler decides between dot and bracket.
    '@typescript-eslint/dot-notation': ['error', { allowIndexSignaturePropertyAccess: true }],
    '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
    '@typescript-eslint/unified-signatures': ['error', { ignoreDifferentlyNamedParameters: true }],
  },
};

const tests = {
  files: ['test/**/*.ts'],
  rules: {
    // describe() holds a whole suite.
    'max-lines-per-function': 'off',
    'max-params': 'off',
    '@typescript-eslint/no-non-null-assertion': 'off',
    '@typescript-eslint/explicit-module-boundary-types': 'error',
  },
};

const output = { files: ['src/cli/**/*.ts'], rules: { 'no-console': 'off' } };
const configs = { files: ['vitest.config.mts'], rules: { 'no-restricted-syntax': 'off' } };

const scripts = {
  files: ['**/*.mjs'],
  extends: [js.configs.recommended],
  languageOptions: {
    ecmaVersion: 2023,
    globals: Object.fromEntries(
      ['process', 'console', 'Buffer', 'URL', 'URLSearchParams', 'fetch', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'structuredClone', 'AbortController', 'AbortSignal', 'TextDecoder', 'performance'].map(
        (name) => [name, 'readonly'],
      ),
    ),
  },
  rules: { ...sizes, eqeqeq: 'error', 'no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_', caughtErrors: 'all' }] },
};

const commonJs = { files: ['**/*.cjs'], extends: [js.configs.recommended], languageOptions: { sourceType: 'commonjs', globals: { require: 'readonly', exports: 'writable' } } };

export default defineConfig(
  { ignores: ['**/node_modules/**', 'dist/**', 'dist-test/**', 'dist-bench/**', 'native/**', 'out/**', 'shots/**', 'runs/**', 'samples/**', 'test/fixtures/**', '.moire/**'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  typed,
  ...arrowRules,
  tests,
  output,
  configs,
  scripts,
  commonJs,
);
