import { expect, test } from '@jest/globals';
import { Field } from '../../kernel/field/field.js';
import { NamedSchemas, wholeSchema } from './schema.js';

class Leaf {
  @Field({ type: 'integer', minimum: 1 }) size!: number;
  @Field({ type: 'array', items: () => Leaf, optional: true }) within?: Leaf[];
}

class Tree {
  @Field({ type: 'object', shape: () => Leaf }) leaf!: Leaf;
  @Field({ type: 'string', optional: true, nullable: true }) name?: string | null;
}

test('a named schema refers to the shapes in it, each of which is defined once', () => {
  const schemas = new NamedSchemas('#/there/');
  expect(schemas.in('woods').of(Tree)).toEqual({ $ref: '#/there/Tree' });
  expect(schemas.all).toMatchObject({
    Tree: { properties: { leaf: { $ref: '#/there/Leaf' } }, required: ['leaf'], additionalProperties: false },
    Leaf: { properties: { within: { type: 'array', items: { $ref: '#/there/Leaf' } } } },
  });
});

test('a whole schema has no reference; a recursive part is any object there', () => {
  expect(wholeSchema(Tree)).toEqual({
    type: 'object',
    properties: {
      leaf: {
        type: 'object',
        properties: {
          size: { type: 'integer', minimum: 1 },
          within: { type: 'array', items: { type: 'object', additionalProperties: true } },
        },
        required: ['size'],
        additionalProperties: false,
      },
      name: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    },
    required: ['leaf'],
    additionalProperties: false,
  });
});
