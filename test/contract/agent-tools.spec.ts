import { describe, expect, it } from '@jest/globals';
import '../../src/app.module.js';
import { allOperations } from '../../src/engine/operation/operation.js';
import { wholeSchema } from '../../src/engine/operation/schema.js';
import { serviceTool, toolNameOf } from '../../src/engine/service-tool.js';

const all = allOperations().map(toolNameOf);
const ofAgents = all.filter((tool) => serviceTool(tool, 'agent') !== undefined);
const ofFunctions = all.filter((tool) => serviceTool(tool) !== undefined);

describe('operations as tools', () => {
  it.each(ofAgents)('%s has a name and parameters as models take them', (tool) => {
    expect(tool).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    const schema = wholeSchema(serviceTool(tool, 'agent')?.input ?? Object);
    expect(schema['type']).toBe('object');
    expect(JSON.stringify(schema)).not.toContain('$ref');
  });

  it('that only an agent has are those of which a card comes', () => {
    expect(ofAgents.filter((tool) => !ofFunctions.includes(tool))).toEqual([
      'automations_setFunctionCapabilities',
      'automations_setFunctionIdentityMode',
    ]);
  });

  it('leave out what is a person’s', () => {
    const persons = /^(approvals|agents)_|^workspace_(?!getWorkspace$|getSettings$|listMembers$)|EnvVar|Secrets$/;
    expect(ofAgents.filter((tool) => persons.test(tool))).toEqual([]);
    expect(ofAgents).not.toContain('automations_invokeFunction');
  });

  it.each([
    'automations_setWebhookVerification',
    'automations_setFunctionSecrets',
    'automations_createMailAccount',
    'automations_updateMailAccount',
    'automations_deleteMailAccount',
    'automations_testMailAccount',
    'automations_setTriggerReplay',
    'automations_replayRun',
    'automations_rerunInboundEmail',
    'flows_setFlowSecrets',
    'flows_runFlow',
    'agents_runAgent',
  ])('leave out %s', (tool) => {
    expect(all).toContain(tool);
    expect([...ofAgents, ...ofFunctions]).not.toContain(tool);
  });

  it.each([
    'automations_createTargetWebhook',
    'automations_listTargetTriggers',
    'automations_createMailhook',
    'automations_createSchedule',
    'accountEvents_addEventTrigger',
    'accountEvents_raise',
  ])('have %s', (tool) => {
    expect(ofAgents).toContain(tool);
    expect(ofFunctions).toContain(tool);
  });
});
