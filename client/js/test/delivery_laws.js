export const DELIVERY_LAWS = {};
