/** Every path of the API begins with it. */
export const apiPrefix = '/operator/v1'
