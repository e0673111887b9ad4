import { query } from '../../../engine/operation/bound-operation.js';
import { Scopes } from '../../../engine/scopes/scopes.js';
import { Field } from '../../../kernel/field/field.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import { projects } from './project.record.js';
import { type SiteMethod, type SiteOutline, Sites } from './sites.api.js';

class ManifestField {
  @Field({ type: 'string' }) name!: string;
  @Field({ type: 'string' }) type!: string;
}

class ManifestTable {
  @Field({ type: 'string' }) name!: string;
  @Field({ type: 'array', items: () => ManifestField }) fields!: readonly ManifestField[];
}

class ManifestMethod implements SiteMethod {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
  @Field({ type: 'string' }) description!: string;
  @Field({ type: 'object', nullable: true, description: "Schemas of the function's input and output." })
  toolSpec!: JsonObject | null;
}

class ManifestSite implements SiteOutline {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
  @Field({ type: 'array', items: () => ManifestTable }) tables!: readonly ManifestTable[];
  @Field({
    type: 'array',
    items: () => ManifestMethod,
    description: 'The exposed functions of the site, which methods.call can call.',
  })
  methods!: readonly ManifestMethod[];
}

export const sitesOperations = [
  query('automations/sitesManifest', {
    summary: 'Lists the sites of the workspace with their tables, fields and exposed functions, by their exact names.',
    source: 'Automations API, Functions',
    group: 'functions',
    permission: 'functions.read',
    tools: 'granted',
    answers: { fields: { sites: { type: 'array', items: () => ManifestSite } } },
    input: {},
    inject: [Sites, Scopes],
    handle: async (_, call, sites, scopes) => ({
      sites: await scopes.allowed(call, await sites.outlines(call.workspaceId), projects),
    }),
  }),
];
