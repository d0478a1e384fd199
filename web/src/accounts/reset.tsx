export default function Reset() {
  return null;
}
