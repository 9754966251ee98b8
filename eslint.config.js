// What the linter looks at: mistakes that types and tests do not see. Layout belongs to prettier.
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

export default defineConfig(
  globalIgnores([
    'build/',
    'dist/',
    'out/',
    'coverage/',
    'fixtures/',
    'docs/.vitepress/{cache,dist}/',
  ]),
  {
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      eqeqeq: 'error',
      'no-console': 'error',
      'no-constant-binary-expression': 'error',
      'no-empty': 'error',
      'no-fallthrough': 'error',
      'no-misleading-character-class': ['error', { allowEscape: true }],
      'no-param-reassign': 'error',
      'no-restricted-syntax': [
        'error',
        {
          selector:
            ':matches(ObjectExpression > SpreadElement > ObjectExpression, ArrayExpression > SpreadElement > ArrayExpression)',
          message: 'Write the entries themselves: a literal is not spread into a literal.',
        },
      ],
      'no-self-compare': 'error',
      'no-sparse-arrays': 'error',
      'no-throw-literal': 'error',
      'no-unsafe-finally': 'error',
      'no-useless-assignment': 'error',
      'no-var': 'error',
      'object-shorthand': 'error',
      'prefer-const': 'error',
    },
  },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      '@typescript-eslint/consistent-type-exports': 'error',
      '@typescript-eslint/consistent-type-imports': [
        'error',
        { fixStyle: 'inline-type-imports', disallowTypeAnnotations: false },
      ],
      '@typescript-eslint/no-deprecated': 'error',
      // An interface gives the computed type of a facet of options its name.
      '@typescript-eslint/no-empty-object-type': [
        'error',
        { allowInterfaces: 'with-single-extends' },
      ],
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/no-unnecessary-boolean-literal-compare': 'error',
      '@typescript-eslint/no-unnecessary-condition': [
        'error',
        { allowConstantLoopConditions: true },
      ],
      // `_` takes a place: a type parameter that is not read, a property left out of a rest.
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', caughtErrorsIgnorePattern: '^_' },
      ],
      // What was caught is thrown on, whatever it is; `no-throw-literal` catches the rest.
      '@typescript-eslint/only-throw-error': 'off',
      // A package's string enum may be compared with the string.
      '@typescript-eslint/no-unsafe-enum-comparison': 'off',
      // `text || other` is how an empty text is passed over.
      '@typescript-eslint/prefer-nullish-coalescing': [
        'error',
        { ignorePrimitives: { string: true, boolean: true } },
      ],
      '@typescript-eslint/prefer-readonly': 'error',
      '@typescript-eslint/return-await': ['error', 'error-handling-correctness-only'],
      // Interfaces here are written with methods and implemented by plain objects without `this`.
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
    },
  },
  {
    // The types of a page are there for the functions that run in one, `in-page/`, and for nobody else.
    files: ['src/**/*.ts'],
    ignores: ['src/**/in-page/*.ts'],
    rules: {
      'no-restricted-globals': [
        'error',
        'document',
        'window',
        'self',
        'top',
        'parent',
        'frames',
        'location',
        'history',
        'navigator',
        'localStorage',
        'sessionStorage',
        'getComputedStyle',
        'CSS',
        'open',
        'Node',
        'Element',
        'HTMLElement',
        'Document',
        'MutationObserver',
        'name',
        'event',
        'length',
        'status',
        'origin',
        'screen',
        'scrollTo',
        'close',
        'stop',
        'find',
        'print',
      ],
    },
  },
  {
    // Tests read parsed JSON and index into what they have just built.
    files: ['test/**/*.ts'],
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/require-await': 'off',
    },
  },
  {
    // An import that may not resolve where the package is used: an error expected here would be none.
    files: ['src/core/model/browser-page.ts'],
    rules: { '@typescript-eslint/ban-ts-comment': 'off' },
  },
  {
    // Type tests declare names only to look at their types.
    files: ['test/types/**/*.ts'],
    rules: {
      '@typescript-eslint/no-unused-expressions': 'off',
      '@typescript-eslint/no-unused-vars': 'off',
    },
  },
  {
    // Programs: they talk on the screen.
    files: ['.ci/**', 'bench/**', 'docs/**', 'examples/**'],
    rules: { 'no-console': 'off' },
  },
);
