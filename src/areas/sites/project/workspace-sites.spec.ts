import { expect, test } from '@jest/globals';
import { SiteKeeper, type SiteOutline } from '../../../ports/sites.port.js';
import { WorkspaceSites } from './workspace-sites.js';

class Keeper extends SiteKeeper {
  constructor(private readonly name: string) {
    super();
  }

  override async outlines(workspaceId: string): Promise<readonly SiteOutline[]> {
    const fields = [{ name: 'E-mail', type: 'text' }];
    return [{ id: `${workspaceId}/${this.name}`, name: this.name, tables: [{ name: 'Guests', fields }] }];
  }
}

test('shows the sites of all who keep any, of the workspace that asks, names untouched', async () => {
  const fields = [{ name: 'E-mail', type: 'text' }];
  expect(await new WorkspaceSites([new Keeper('Shop'), new Keeper('Café ')]).of('ws_1')).toEqual([
    { id: 'ws_1/Shop', name: 'Shop', tables: [{ name: 'Guests', fields }] },
    { id: 'ws_1/Café ', name: 'Café ', tables: [{ name: 'Guests', fields }] },
  ]);
});

test('is empty where nothing keeps sites', async () => {
  expect(await new WorkspaceSites([]).of('ws_1')).toEqual([]);
});
