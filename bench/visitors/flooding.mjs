// Floods sites until its parent ends it: visitors are elsewhere, so what they cost themselves is not taken from the service.
// It has the lowest priority of the machine that it shares with the service.
import { setPriority } from 'node:os';
import { floods } from '../../test/support/sites/visitor-floods.ts';

setPriority(19);
process.once('message', ({ url, name, sites }) => {
  for (const site of sites) floods[name]({ url }, site, () => false);
});
