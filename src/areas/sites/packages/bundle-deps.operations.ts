import { command } from '../../../engine/operation/bound-operation.js';
import { Field } from '../../../kernel/field/field.js';
import { idField } from '../../../kernel/field/plain-text.js';
import { DependencyBundles } from './dependency-bundles.js';

class BundledPackage {
  @Field({ type: 'string' }) name!: string;
  @Field({ type: 'string' }) version!: string;
  @Field({ type: 'string', description: "`sha512-…` of the package's archive." }) integrity!: string;
}

class BundledDeps {
  @Field({ type: 'boolean' }) ok!: boolean;
  @Field({ type: 'array', items: () => BundledPackage }) packages!: readonly BundledPackage[];
}

export const bundleDepsOperations = [
  command('site/bundleDeps', {
    summary:
      'Resolves the dependencies of a project and stores their packages, so that a publish needs no network access.',
    source: 'Sites API, Projects and settings',
    group: 'projects',
    permission: 'site.edit',
    tools: 'granted',
    answers: { record: BundledDeps },
    input: { id: idField },
    inject: [DependencyBundles],
    handle: async ({ id }, call, bundles): Promise<BundledDeps> => ({
      ok: true,
      packages: await bundles.bundle(call, id),
    }),
  }),
];
