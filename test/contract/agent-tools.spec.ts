import { describe, expect, it } from '@jest/globals';
import '../../src/app.module.js';
import { serviceTool, toolNameOf } from '../../src/engine/authorisation/service-tool.js';
import { allOperations } from '../../src/engine/operation/operation.js';
import { wholeSchema } from '../../src/engine/operation/schema.js';

const all = allOperations().map(toolNameOf);
const ofAgents = all.filter((tool) => serviceTool(tool, 'agent') !== undefined);
const ofFunctions = all.filter((tool) => serviceTool(tool) !== undefined);

describe('operations as tools', () => {
  it.each(ofAgents)('%s has a name and parameters that models accept', (tool) => {
    expect(tool).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    const schema = wholeSchema(serviceTool(tool, 'agent')?.input ?? Object);
    expect(schema['type']).toBe('object');
    expect(JSON.stringify(schema)).not.toContain('$ref');
  });

  it('have these names for functions and agents whose list names them', () => {
    expect(ofFunctions).toMatchSnapshot();
  });

  it('have these as well for agents, which have no powers of functions', () => {
    expect(ofAgents.filter((tool) => !ofFunctions.includes(tool))).toMatchSnapshot();
    expect(ofFunctions.filter((tool) => !ofAgents.includes(tool))).toEqual([]);
  });
});
