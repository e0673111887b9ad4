import { Operation } from '../../../engine/operation/operation.js';
import { Field } from '../../../kernel/field/field.js';
import { idField } from '../../../kernel/field/plain-text.js';
import { ProjectRow } from './project.operations.js';

@Operation('site/updateSubdomain', {
  summary:
    "Changes a site's address under the domain of the service; the old one is free for other sites from then on.",
  source: 'Sites API, Projects and settings',
  group: 'domains',
  effect: 'command',
  permission: 'site.publish',
  tools: 'granted',
  answers: { record: ProjectRow },
})
export class UpdateSubdomain {
  @Field(idField) id!: string;
  @Field({
    type: 'string',
    minLength: 3,
    maxLength: 63,
    description: 'Without the domain of the service: shop, not shop.example.com.',
  })
  subdomain!: string;
}
