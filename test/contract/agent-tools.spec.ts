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

  it('are these for functions and agents whose list names them', () => {
    expect(ofFunctions).toEqual([
      'accountEvents_addEventTrigger',
      'accountEvents_appEventInstalls',
      'accountEvents_appEvents',
      'accountEvents_builtins',
      'accountEvents_eventTriggerRuns',
      'accountEvents_listEventTriggers',
      'accountEvents_raise',
      'accountEvents_removeEventTrigger',
      'accountEvents_setFlowEventTrigger',
      'accountEvents_updateEventTrigger',
      'audit_causesOf',
      'audit_effectsOf',
      'audit_getEvent',
      'audit_getHistory',
      'audit_listEvents',
      'automations_createFunction',
      'automations_createMailhook',
      'automations_createSchedule',
      'automations_createTargetWebhook',
      'automations_createWebhook',
      'automations_deleteFunction',
      'automations_deleteMailhook',
      'automations_deleteSchedule',
      'automations_deleteWebhook',
      'automations_getFunction',
      'automations_getRunLog',
      'automations_listAllWebhooks',
      'automations_listFunctionVersions',
      'automations_listFunctions',
      'automations_listInboundEmails',
      'automations_listMailAccounts',
      'automations_listMailhooks',
      'automations_listRuns',
      'automations_listTargetTriggers',
      'automations_listTriggers',
      'automations_publishFunction',
      'automations_rollBackFunction',
      'automations_setScheduleActive',
      'automations_setWebhookActive',
      'automations_sitesManifest',
      'automations_updateFunction',
      'automations_updateMailhook',
      'bases_addField',
      'bases_createBase',
      'bases_createTable',
      'bases_deleteBase',
      'bases_deleteTable',
      'bases_getBase',
      'bases_getTable',
      'bases_listBases',
      'bases_listTables',
      'bases_removeField',
      'bases_setTableAccessRules',
      'bases_updateBase',
      'bases_updateField',
      'bases_updateTable',
      'flows_createFlow',
      'flows_deleteFlow',
      'flows_getFlow',
      'flows_getFlowRun',
      'flows_listFlowRuns',
      'flows_listFlows',
      'flows_updateFlow',
      'site_bundleDeps',
      'site_createComponent',
      'site_createEmailTemplate',
      'site_createPage',
      'site_createProject',
      'site_deleteComponent',
      'site_deleteEmailTemplate',
      'site_deletePage',
      'site_editComponent',
      'site_editEmailTemplate',
      'site_editPage',
      'site_getAccessOverview',
      'site_getCodeGuide',
      'site_getComponent',
      'site_getCustomDomainStatus',
      'site_getEmailTemplate',
      'site_getPage',
      'site_getProject',
      'site_getProjectDeleteInfo',
      'site_getSnapshotContent',
      'site_listComponents',
      'site_listEmailTemplates',
      'site_listPages',
      'site_listProjects',
      'site_listSnapshots',
      'site_readComponent',
      'site_readEmailTemplate',
      'site_readPage',
      'site_removeCustomDomain',
      'site_restoreSnapshot',
      'site_revertSnapshotChange',
      'site_searchComponent',
      'site_searchEmailTemplate',
      'site_searchPage',
      'site_setPageActive',
      'site_updateComponent',
      'site_updateCustomDomain',
      'site_updateEmailTemplate',
      'site_updatePage',
      'site_updateProject',
      'site_updateProjectAuth',
      'site_updateSubdomain',
      'site_verifyBuild',
      'site_verifyCustomDomain',
      'workspace_getSettings',
      'workspace_getWorkspace',
      'workspace_listMembers',
    ]);
  });

  it('are these as well for agents, which ask a person with them', () => {
    expect(ofAgents.filter((tool) => !ofFunctions.includes(tool))).toEqual([
      'automations_setFunctionCapabilities',
      'automations_setFunctionIdentityMode',
    ]);
    expect(ofFunctions.filter((tool) => !ofAgents.includes(tool))).toEqual([]);
  });
});
