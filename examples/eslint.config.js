// The rules that a merchant's project may have.
import { defineConfig } from 'eslint/config';
import { configs } from 'typescript-eslint';

export default defineConfig({
  files: ['**/*.ts'],
  ignores: ['**/*.test.ts'],
  extends: [configs.recommendedTypeChecked],
  // The receiver of the page throws until the reader has written its function.
  rules: { '@typescript-eslint/require-await': 'off' },
  languageOptions: { parserOptions: { projectService: true } },
});
