export const secret = "what another card's file says";
