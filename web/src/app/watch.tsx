export default function Watch() {
  return null;
}
