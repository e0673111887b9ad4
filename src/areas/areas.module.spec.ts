import { describe, expect, it } from '@jest/globals';
import { Stage } from '../../test/support/given/given-saga.js';
import { Dependents } from '../engine/ownership/dependents.js';
import { AreasModule } from './areas.module.js';

describe('the start', () => {
  it('is refused for each record with an owner if no slice declares how it is deleted', () => {
    const { runner, reads, loader } = new Stage();
    const start = () => new AreasModule(new Dependents(runner, reads, loader)).onModuleInit();
    const sentence = (record: string, owner: string) =>
      `The record ${record} is deleted with its ${owner}, but does not declare how: add endsWithOwners(…) to its slice.`;
    for (const [record, owner] of [
      ['page', 'project'],
      ['siteFunction', 'project'],
      ['entitlement', 'appUser'],
      ['webhook', 'target'],
      ['row', 'table'],
    ] as const) {
      expect(start).toThrow(sentence(record, owner));
    }
  });
});
