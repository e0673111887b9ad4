/** What the users of sites, their roles and their sign-in refuse. */
export const appUsersRefusals = {};
