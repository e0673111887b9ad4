import type { Json } from './hostile-json.js';
import { type HostileScene, type Kept, nextName, type Place } from './places.js';

/** Returns a condition with a rule about a property of each of these names. */
const conditionOf = (json: Json) => ({
  any: Object.keys(json).map((property) => ({ type: 'user_property', property, operator: 'eq', value: 'x' })),
});
/** Returns the original JSON if the shown condition contains all of its names. */
const namesIn = (condition: { readonly any?: readonly { readonly property: string }[] }, json: Json): unknown =>
  JSON.stringify(condition) === JSON.stringify(conditionOf(json)) ? json : condition;

const byKey = (json: Json, value: (key: string) => unknown): object =>
  Object.fromEntries(Object.keys(json).map((key) => [key, value(key)]));

async function fieldsOfUsers(scene: HostileScene): Promise<readonly { readonly name: string }[]> {
  const { auth } = await scene.ok('site/getProject', { id: scene.projectId });
  return auth.authCustomFields ?? [];
}

async function table(scene: HostileScene, fields: readonly object[]) {
  const { id: baseId } = await scene.ok('bases/createBase', { name: nextName('Base') });
  return scene.app.call('bases/createTable', { baseId, name: 'Things', fields });
}

/** Places in the content of sites and bases, in their users and in their rules. */
export const sitePlaces: readonly Place[] = [
  {
    what: 'the brand kit of a project',
    of: ['site/createProject brandKit', 'site/updateProject brandKit'],
    takes: 'kept',
    give: (scene, brandKit) =>
      scene.give('site/updateProject', { id: scene.projectId, brandKit }, async () => {
        const { brandKit: shown } = await scene.ok('site/getProject', { id: scene.projectId });
        return shown;
      }),
  },
  {
    what: 'packages of a project',
    of: ['site/updateProject dependencies'],
    takes: 'refused',
    give: (scene, dependencies) =>
      scene.give('site/updateProject', { id: scene.projectId, dependencies }, async () => dependencies),
  },
  {
    what: 'what agents may use of a project',
    of: ['site/updateAiPermissions aiPermissions'],
    takes: 'refused',
    give: (scene, json) =>
      scene.give(
        'site/updateAiPermissions',
        { projectId: scene.projectId, aiPermissions: byKey(json, () => true) },
        async () => json,
      ),
  },
  {
    what: 'where a site leads whoever signs in',
    of: ['site/updateProjectAuth authPaths'],
    takes: 'refused',
    give: (scene, json) => {
      const authPaths = byKey(json, () => '/there');
      return scene.give('site/updateProjectAuth', { id: scene.projectId, authPaths }, async () => {
        const paths = (await scene.ok('site/getProject', { id: scene.projectId })).auth.authPaths;
        return Object.keys(json).every((key) => Object.hasOwn(paths, key)) ? json : paths;
      });
    },
  },
  {
    what: 'the names of a site’s own fields of its users',
    of: ['site/updateProjectAuth authCustomFields'],
    takes: 'refused',
    give: (scene, json) => {
      const authCustomFields = Object.keys(json).map((name) => ({ name, type: 'text' }));
      return scene.give('site/updateProjectAuth', { id: scene.projectId, authCustomFields }, async () => {
        const names = (await fieldsOfUsers(scene)).map(({ name }) => name);
        const { id } = await scene.site.user(`${nextName('user').replaceAll(' ', '-')}@example.com`, {
          customFields: byKey(json, (key) => key),
        });
        const { customFields } = await scene.ok('site/getAppUser', { projectId: scene.projectId, userId: id });
        const values = Object.values(customFields);
        return Object.keys(json).every((key) => names.includes(key) && values.includes(key)) ? json : { names, values };
      });
    },
  },
  {
    what: 'values of fields of a user that the site does not have',
    of: ['site/createAppUser customFields', 'site/updateAppUser customFields', 'site/updateAppUser profileData'],
    takes: 'refused',
    give: (scene, customFields) =>
      scene.give(
        'site/createAppUser',
        {
          projectId: scene.projectId,
          email: `${nextName('user').replaceAll(' ', '-')}@example.com`,
          password: 'long enough',
          customFields,
        },
        async (user) => user.customFields,
      ),
  },
  {
    what: 'the reason of an entitlement',
    of: ['site/grantEntitlement source'],
    takes: 'kept',
    async give(scene, source) {
      const { projectId } = scene;
      const { id: appUserId } = await scene.site.user(`${nextName('user').replaceAll(' ', '-')}@example.com`);
      const grant = { projectId, appUserId, key: 'member', source };
      return scene.give('site/grantEntitlement', grant, async () => {
        const [shown] = await scene.ok('site/getEntitlements', { projectId, appUserId });
        return JSON.stringify(shown.source) === JSON.stringify(shown.history[0].source) ? shown.source : shown;
      });
    },
  },
  {
    what: 'properties that an access policy asks for',
    of: ['site/createAccessPolicy condition', 'site/updateAccessPolicy condition'],
    takes: 'refused',
    give: (scene, json) =>
      scene.give(
        'site/createAccessPolicy',
        { projectId: scene.projectId, name: nextName('Policy'), condition: conditionOf(json) },
        async ({ id }) => {
          const all = await scene.ok('site/listAccessPolicies', { projectId: scene.projectId });
          return namesIn(all.find((one: { readonly id: string }) => one.id === id).condition, json);
        },
      ),
  },
  {
    what: 'an access rule with more than it has',
    of: ['site/setPageAccessRules accessRules.read'],
    takes: 'refused',
    async give(scene, json): Promise<Kept> {
      const { projectId } = scene;
      const { id: pageId } = await scene.ok('site/createPage', {
        projectId,
        name: 'P',
        path: `/${nextName('p').replaceAll(' ', '')}`,
      });
      const read = Object.assign(JSON.parse(JSON.stringify(json)), { type: 'authenticated' });
      return scene.give('site/setPageAccessRules', { pageId, accessRules: { read } }, async () => json);
    },
  },
  {
    what: 'names of fields of a table, and values of rows by these names',
    of: ['bases/createRow values', 'bases/updateRow values', 'bases/upsertRow values', 'bases/upsertRow match'],
    takes: 'refused',
    async give(scene, json) {
      const reply = await table(
        scene,
        Object.keys(json).map((name) => ({ name, type: 'json' })),
      );
      return {
        reply,
        shown: async () => {
          const { id: tableId } = reply.body;
          const { id } = await scene.ok('bases/createRow', { tableId, values: json });
          const row = await scene.ok('bases/getRow', { tableId, id });
          const [found] = (await scene.ok('bases/listRows', { tableId, filter: { id } })).rows;
          return JSON.stringify(found) === JSON.stringify(row) ? byKey(json, (key) => row[key]) : [row, found];
        },
      };
    },
  },
  {
    what: 'a JSON value of a row, in all ways of writing rows',
    of: ['bases/createRows rows', 'bases/updateRows rows.values'],
    takes: 'kept',
    async give(scene, data) {
      const fields = [
        { name: 'data', type: 'json' },
        { name: 'name', type: 'text', unique: true },
      ];
      const { id: tableId } = (await table(scene, fields)).body;
      return scene.give('bases/createRow', { tableId, values: { data } }, async ({ id }) => {
        await scene.ok('bases/createRows', { tableId, rows: [{ data }] });
        await scene.ok('bases/upsertRow', { tableId, match: { name: 'one' }, values: { data } });
        await scene.ok('bases/updateRow', { tableId, id, values: { data: null } });
        await scene.ok('bases/updateRows', { tableId, rows: [{ id, values: { data } }] });
        const { rows } = await scene.ok('bases/listRows', { tableId });
        const texts = rows.map((row: { readonly data: unknown }) => JSON.stringify(row.data));
        return texts.length === 3 && new Set(texts).size === 1 ? rows[0].data : rows;
      });
    },
  },
  {
    what: 'a filter of rows',
    of: ['bases/listRows filter', 'bases/countRows filter', 'bases/reportRows spec'],
    takes: 'refused',
    async give(scene, filter) {
      const { id: tableId } = (await table(scene, [{ name: 'data', type: 'json' }])).body;
      await scene.ok('bases/createRow', { tableId, values: { data: 1 } });
      for (const spec of [
        filter,
        { groupBy: Object.keys(filter), measures: [{ op: 'count' }] },
        { filter, measures: [] },
      ]) {
        const { status } = await scene.app.call('bases/reportRows', { tableId, spec });
        if (status >= 500) throw new Error(`A report is answered ${status}.`);
      }
      return scene.give('bases/listRows', { tableId, filter }, async () => filter);
    },
  },
  {
    what: 'variables of an email template',
    of: ['site/createEmailTemplate variables', 'site/updateEmailTemplate variables'],
    takes: 'refused',
    give: (scene, json) => {
      const variables = Object.keys(json).map((name) => ({ name, default: name }));
      const slug = nextName('template').replaceAll(' ', '-');
      const template = { projectId: scene.projectId, name: slug, slug, subject: 'x', content: 'x', variables };
      return scene.give('site/createEmailTemplate', template, async ({ id }) => {
        const shown = await scene.ok('site/getEmailTemplate', { id });
        return JSON.stringify(shown.variables) === JSON.stringify(variables) ? json : shown.variables;
      });
    },
  },
  {
    what: 'the definition of a data function',
    of: ['site/createDataFunction definition', 'site/updateDataFunction definition'],
    takes: 'refused',
    give: (scene, json) => {
      const definition = { kind: 'list', table: 'Things', filter: json, params: json };
      const sent = { projectId: scene.projectId, name: nextName('data'), definition };
      return scene.give('site/createDataFunction', sent, async (fn) => fn.definition.filter);
    },
  },
];
