/** Stands in every password and token of the scenarios: no result, error or log may hold it. */
export const secret = 's3cr3t-w0rd';
