import { InProcessBroadcast } from '../../../src/adapters/broadcast/in-process/in-process-broadcast.adapter.js';
import { broadcastContract } from './broadcast.contract.js';

broadcastContract('in-process', async () => {
  const here = new InProcessBroadcast();
  return { here, elsewhere: undefined, close: () => here.close() };
});
