import { describe, expect, it } from '@jest/globals';
import { Field } from '../../kernel/field/field.js';
import { shown } from './shown.js';

class Owner {
  @Field({ type: 'string' }) name!: string;
}
class Pet {
  @Field({ type: 'string' }) name!: string;
}
class Dog extends Pet {
  @Field({ type: 'object', shape: () => Owner, nullable: true }) owner!: Owner | null;
  @Field({ type: 'array', items: () => Owner }) walkers!: readonly Owner[];
  @Field({ type: 'object' }) papers!: object;
  @Field({ type: 'string', optional: true }) chip?: string;
}

const record = {
  name: 'Rex',
  owner: { name: 'Ada', secret: 1 },
  walkers: [{ name: 'Bob', secret: 2 }],
  papers: { any: { thing: 3 } },
  secret: 4,
};

describe('the shown fields of a record', () => {
  it('are those that the answer class and its base class declare, also in nested objects', () => {
    expect(shown(Dog, record)).toEqual({
      name: 'Rex',
      owner: { name: 'Ada' },
      walkers: [{ name: 'Bob' }],
      papers: { any: { thing: 3 } },
    });
    expect(shown(Pet, record)).toEqual({ name: 'Rex' });
  });

  it('are null if null is recorded, and missing if nothing is', () => {
    expect(shown(Dog, { name: 'Rex', owner: null, chip: undefined })).toEqual({ name: 'Rex', owner: null });
  });

  it('include no member that every object has', () => {
    class Odd {}
    Field({ type: 'string' })(Odd.prototype, 'toString');
    expect(shown(Odd, {})).toEqual({});
  });
});
