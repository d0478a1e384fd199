import { useState } from "react";
import { count } from "../../lib/format";
import type { Errors } from "../../lib/forms";
import { artOf, categoryName } from "../../store/words";
import { Button } from "../../ui/button";
import { Drawer } from "../../ui/drawer";
import { Checkbox, Field, FormMessage, Select, TextArea, TextInput } from "../../ui/field";
import { errorToast, toast } from "../../ui/toast";
import { useIdempotencyKey } from "../shared/idempotency-key";
import { focusOnMount } from "../../ui/focus";
import { useCurrency } from "../shared/family-summary";
import { StaleFormNotice, useFormValues, useStaffForm } from "../shared/form";
import { MoneyInput } from "../shared/money-input";
import { changesOf, valuesOf, missing, problemsOf, productOf, type FormValues } from "./form-values";
import { PictureFields } from "./picture-fields";
import { PicturesFailed, usePictures } from "./pictures";
import {
  addProduct,
  changeProduct,
  readProduct,
  useProductsChanged,
  type AdminProduct,
  type Category,
} from "./queries";

type Props = { product: AdminProduct | null; category: Category | ""; onClose: () => void };

/** A product with its pictures. */
export function ProductDialog({ product: opened, category, onClose }: Props) {
  const productsChanged = useProductsChanged();
  const keyOf = useIdempotencyKey();
  const [incomplete, setIncomplete] = useState(false);
  const currency = useCurrency();
  const pictures = usePictures(opened);
  const edited = useFormValues({
    opened,
    valuesOf: (one) => valuesOf(one, category),
    read: async (one) => {
      const fresh = await readProduct(one);
      if (fresh) pictures.merge(fresh);
      return fresh;
    },
    onGone: productsChanged,
  });
  const { row, values, set, setRow, stale, reload } = edited;
  const dirty = edited.dirty || pictures.dirty;

  const { busy, errors, message, form, close, question } = useStaffForm({
    values: { ...edited, dirty },
    leave: { name: values.title.trim() || "A new product", onClose, waits: true },
    check: () => {
      setIncomplete(false);
      const problems = problemsOf(values, currency);
      if (Object.values(problems).includes(missing))
        toast({ title: "Missing Information", description: missing, destructive: true });
      return problems;
    },
    submit: async () => {
      let saved = row;
      if (!saved) {
        const { is_active: _always, ...product } = productOf(values);
        saved = await addProduct(keyOf(product), product);
        setRow(saved);
      } else if (dirty) {
        saved = await changeProduct(saved.id, { version: saved.version, ...changesOf(values, saved) });
        setRow(saved);
      }
      return pictures.save(saved, setRow);
    },
    done: async ({ title, images }) => {
      if (opened) toast({ title: "Product Updated", description: `${title} has been updated.` });
      else
        toast({
          title: "Product Added",
          description: `${title} has been added to the store with ${count(images.length, "image")}.`,
        });
      onClose();
      await productsChanged();
    },
    failed: (error) => {
      if (error instanceof PicturesFailed) {
        setIncomplete(true);
        void productsChanged();
        return true;
      }
      errorToast(`Failed to ${row ? "update" : "add"} product. Please try again.`);
    },
  });

  return (
    <Drawer title={opened ? "Edit Product" : "Add New Product"} onClose={close}>
      <form {...form} className="grid gap-5">
        <StaleFormNotice what="product" stale={stale} onReload={reload} />
        <ProductFields values={values} set={set} errors={errors} />
        <PictureFields form={pictures} art={artOf({ category: values.category || "memorabilia" })} busy={busy} />
        <BadgeFields values={values} set={set} isNew={!row} />
        <FormMessage>
          {incomplete
            ? "The product is saved, but not all its pictures. See the reason next to each one. Save again to retry, or remove it."
            : message}
        </FormMessage>
        <div className="sticky -bottom-5 -mx-5 -mb-5 flex flex-wrap justify-end gap-3 border-t border-line bg-paper px-5 py-3">
          <Button look="line" onClick={close}>
            Cancel
          </Button>
          <Button type="submit" busy={busy}>
            {busy ? "Saving..." : row ? "Save Product" : "Add Product"}
          </Button>
        </div>
      </form>
      {question}
    </Drawer>
  );
}

type FieldsProps = { values: FormValues; set: (change: Partial<FormValues>) => void };

function ProductFields({ values, set, errors }: FieldsProps & { errors: Errors }) {
  const bind = (name: "title" | "description" | "price" | "stock_quantity") => ({
    name,
    value: values[name],
    onChange: (event: { target: { value: string } }) => set({ [name]: event.target.value }),
  });
  return (
    <>
      <Field label="Product Title" error={errors["title"]}>
        <TextInput {...bind("title")} dir="auto" maxLength={120} autoComplete="off" ref={focusOnMount} required />
      </Field>
      <Field label="Description" optional error={errors["description"]}>
        <TextArea {...bind("description")} dir="auto" rows={4} maxLength={2_000} />
      </Field>
      <div className="grid items-start gap-5 sm:grid-cols-2">
        <Field label="Price" error={errors["price"]}>
          <MoneyInput name="price" value={values.price} onChange={(price) => set({ price })} required />
        </Field>
        <Field label="Stock Quantity" error={errors["stock_quantity"]}>
          <TextInput
            {...bind("stock_quantity")}
            inputMode="numeric"
            dir="ltr"
            maxLength={9}
            autoComplete="off"
            className="tabular-nums"
            required
          />
        </Field>
      </div>
      <Field label="Category" error={errors["category"]}>
        <Select
          name="category"
          value={values.category}
          onChange={(event) => set({ category: event.target.value as FormValues["category"] })}
          required
        >
          {!values.category && <option value="">Choose a category</option>}
          {Object.entries(categoryName).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </Select>
      </Field>
    </>
  );
}

function BadgeFields({ values, set, isNew }: FieldsProps & { isNew: boolean }) {
  const tick = (name: "is_new" | "is_bestseller" | "is_featured" | "is_active") => ({
    name,
    checked: values[name],
    onChange: (event: { target: { checked: boolean } }) => set({ [name]: event.target.checked }),
  });
  return (
    <fieldset className="grid sm:grid-cols-2">
      <legend className="mb-1 text-sm font-medium">Badges</legend>
      <Checkbox {...tick("is_new")} label="New" />
      <Checkbox {...tick("is_bestseller")} label="Bestseller" />
      <Checkbox {...tick("is_featured")} label="Featured" hint="Featured products come first in the store." />
      {!isNew && <Checkbox {...tick("is_active")} label="Active" hint="Only staff see hidden ones." />}
    </fieldset>
  );
}
