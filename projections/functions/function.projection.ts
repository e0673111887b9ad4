import { accountFunctions } from '../../src/areas/functions/function/function.record.js';
import { recordsProjection } from '../../src/kernel/record/record.js';

export const functionsProjection = recordsProjection(accountFunctions, {
  name: 'functions',
  version: 3,
  indexes: [{ fields: ['workspaceId', 'createdAt'] }, { fields: ['workspaceId', 'name'] }],
});
