import { expect, test } from '@jest/globals';
import { type SiteKeeper, type SiteOutline, Sites } from './sites.api.js';

class Keeper implements SiteKeeper {
  constructor(private readonly name: string) {}

  async outlines(workspaceId: string): Promise<readonly SiteOutline[]> {
    const fields = [{ name: 'E-mail', type: 'text' }];
    return [{ id: `${workspaceId}/${this.name}`, name: this.name, tables: [{ name: 'Guests', fields }] }];
  }
}

test('shows the sites of all who keep any, of the workspace that asks, names untouched', async () => {
  const fields = [{ name: 'E-mail', type: 'text' }];
  expect(await new Sites([new Keeper('Shop'), new Keeper('Café ')]).of('ws_1')).toEqual([
    { id: 'ws_1/Shop', name: 'Shop', tables: [{ name: 'Guests', fields }] },
    { id: 'ws_1/Café ', name: 'Café ', tables: [{ name: 'Guests', fields }] },
  ]);
});

test('is empty where nothing keeps sites', async () => {
  expect(await new Sites([]).of('ws_1')).toEqual([]);
});
