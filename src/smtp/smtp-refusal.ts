/** The message never contains anything that the client sent. */
export class SmtpRefusal extends Error {
  constructor(
    /**
     * A 4xx code asks the client to try again later, and a 5xx code forbids that. With 421, the connection is closed.
     */
    readonly responseCode: number,
    line: string,
  ) {
    super(line);
  }
}

/** For an address that is unknown, deleted or of another domain. The response does not reveal which. */
export const noSuchAddress = () => new SmtpRefusal(550, 'There is no such address here');
export const guessedTooOften = () => new SmtpRefusal(421, 'Too many unknown addresses; the connection is closed');
export const tooManyConnections = () => new SmtpRefusal(421, 'Too many connections from your address; try again later');
export const tooManyMails = () => new SmtpRefusal(451, 'Too many mails from your address; try again later');
export const addressTooBusy = () => new SmtpRefusal(451, 'Too many mails for this address; try again later');
export const tooMuchInHand = () => new SmtpRefusal(451, 'Too much mail is arriving; try again later');
export const storageUsedUp = () => new SmtpRefusal(452, 'No more mail can be stored here today; try again later');
export const mailUnavailable = () => new SmtpRefusal(451, 'The mail cannot be stored at present; try again later');
export const bareLineEnds = () =>
  new SmtpRefusal(554, 'The mail contains a line end that is not CR LF; send it with CR LF only');
export const tooLarge = (most: number) => new SmtpRefusal(552, `The mail is larger than ${most} bytes`);
