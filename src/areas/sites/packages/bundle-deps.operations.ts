import { Operation } from '../../../engine/operation/operation.js';
import { Field } from '../../../kernel/field/field.js';
import { idField } from '../../../kernel/field/plain-text.js';

export class BundledPackage {
  @Field({ type: 'string' }) name!: string;
  @Field({ type: 'string' }) version!: string;
  @Field({ type: 'string', description: '`sha512-…` of its archive.' }) integrity!: string;
}

export class BundledDeps {
  @Field({ type: 'boolean' }) ok!: boolean;
  @Field({ type: 'array', items: () => BundledPackage }) packages!: readonly BundledPackage[];
}

@Operation('site/bundleDeps', {
  summary: 'Resolves the dependencies of a project and stores their packages, so that a publish needs no network.',
  source: 'Sites API, Projects and settings',
  group: 'projects',
  effect: 'command',
  permission: 'site.edit',
  tools: 'granted',
  answers: { record: BundledDeps },
})
export class BundleDeps {
  @Field(idField) id!: string;
}
