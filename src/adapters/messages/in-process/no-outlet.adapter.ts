import { Outlet } from '../../../ports/outlet.port.js';

/** Without a message broker nobody outside listens: whoever wants the events reads the audit. */
export class NoOutlet extends Outlet {
  override async tell(): Promise<void> {}
}
