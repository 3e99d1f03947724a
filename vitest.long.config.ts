import { defineConfig, mergeConfig } from 'vitest/config';
import base from './vitest.config.js';

/** The tests that take minutes: memory, recovery under load, many random crashes. */
export default mergeConfig(
  { ...base, test: { ...base.test, include: [], exclude: [] } },
  defineConfig({ test: { include: ['test/long/**/*.test.ts'], testTimeout: 1_800_000, hookTimeout: 120_000 } }),
);
