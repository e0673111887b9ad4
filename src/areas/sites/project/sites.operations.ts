import { Operation } from '../../../engine/operation/operation.js';
import { Field } from '../../../kernel/field/field.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import type { SiteMethod, SiteOutline } from './sites.api.js';

export class ManifestField {
  @Field({ type: 'string' }) name!: string;
  @Field({ type: 'string' }) type!: string;
}

export class ManifestTable {
  @Field({ type: 'string' }) name!: string;
  @Field({ type: 'array', items: () => ManifestField }) fields!: readonly ManifestField[];
}

export class ManifestMethod implements SiteMethod {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
  @Field({ type: 'string' }) description!: string;
  @Field({ type: 'object', nullable: true, description: 'Schemas of what it takes and answers.' })
  toolSpec!: JsonObject | null;
}

export class ManifestSite implements SiteOutline {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
  @Field({ type: 'array', items: () => ManifestTable }) tables!: readonly ManifestTable[];
  @Field({ type: 'array', items: () => ManifestMethod, description: 'Its exposed functions, for methods.call.' })
  methods!: readonly ManifestMethod[];
}

@Operation('automations/sitesManifest', {
  summary: 'Lists the sites of the workspace with their tables, fields and exposed functions, by their exact names.',
  source: 'Automations API, Functions',
  group: 'functions',
  effect: 'query',
  permission: 'functions.read',
  tools: 'granted',
  answers: { fields: { sites: { type: 'array', items: () => ManifestSite } } },
})
export class SitesManifest {}
