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

describe('what is shown of a record', () => {
  it('is what the answer class and the one it extends declare, in what lies in it too', () => {
    expect(shown(Dog, record)).toEqual({
      name: 'Rex',
      owner: { name: 'Ada' },
      walkers: [{ name: 'Bob' }],
      papers: { any: { thing: 3 } },
    });
    expect(shown(Pet, record)).toEqual({ name: 'Rex' });
  });

  it('is null where null is recorded, and nothing where nothing is', () => {
    expect(shown(Dog, { name: 'Rex', owner: null, chip: undefined })).toEqual({ name: 'Rex', owner: null });
  });

  it('is no member that every object has', () => {
    class Odd {}
    Field({ type: 'string' })(Odd.prototype, 'toString');
    expect(shown(Odd, {})).toEqual({});
  });
});
