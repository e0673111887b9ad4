// One process a test file would be 50 MB each on a small machine: two workers are what two cores carry.
export default {
  testEnvironment: 'node',
  roots: ['<rootDir>/src', '<rootDir>/projections', '<rootDir>/test'],
  testMatch: ['**/*.spec.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true },
          keepClassNames: true,
          target: 'es2023',
        },
        module: { type: 'es6' },
      },
    ],
  },
  // Kafka's stand-in is Debian's kcat, which not every machine has: npm run test:engines runs these too.
  testPathIgnorePatterns: process.env.TEST_ENGINES ? [] : ['/test/.*kafka'],
  maxWorkers: 2,
  testTimeout: 20_000,
};
