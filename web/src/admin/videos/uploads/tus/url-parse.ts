/** What tus-js-client asks of the package `url-parse`: every browser has it. */
export default URL;
