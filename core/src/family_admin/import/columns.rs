//! The columns of the import file, and what offices call them.

use crate::spreadsheet::{Column, Shape};

/// The maximum file size in bytes.
pub const MAX_BYTES: usize = 20 * 1024 * 1024;

pub(super) const SHAPE: Shape = Shape {
    things: "families",
    thing: "family",
    columns: &[
        Column {
            name: "name",
            also: &[
                "fullname",
                "parent",
                "parents",
                "parentname",
                "parentsname",
                "family",
                "familyname",
                "contact",
                "contactname",
            ],
            fallbacks: &[
                "guardian",
                "guardianname",
                "guardians",
                "שם",
                "נאמען",
                "משפחה",
                "שםהמשפחה",
            ],
            needed: true,
        },
        Column {
            name: "child",
            also: &[
                "childname",
                "childsname",
                "children",
                "childrensnames",
                "camper",
                "campers",
                "campername",
            ],
            fallbacks: &[
                "campersname",
                "campernames",
                "childrenname",
                "childrensname",
                "childrennames",
                "childnames",
                "son",
                "sons",
                "student",
                "students",
                "studentname",
                "קינד",
                "קינדער",
                "ילד",
                "ילדים",
                "שםהילד",
            ],
            needed: true,
        },
        Column {
            name: "email",
            also: &["emailaddress", "mail", "primaryemail"],
            fallbacks: &[
                "emails",
                "emailaddresses",
                "emailaddress1",
                "emailprimary",
                "mainemail",
                "email1",
                "1stemail",
                "firstemail",
                "parentemail",
                "parentsemail",
                "parentemailaddress",
                "parentemail1",
                "parent1email",
                "familyemail",
                "homeemail",
                "contactemail",
                "guardianemail",
                "fatheremail",
                "fathersemail",
                "אימעיל",
                "אימייל",
                "דואל",
            ],
            needed: false,
        },
        Column {
            name: "second email",
            also: &["secondemail", "secondaryemail", "email2", "otheremail"],
            fallbacks: &[
                "secondemailaddress",
                "emailsecondary",
                "emailaddress2",
                "2ndemail",
                "alternateemail",
                "alternativeemail",
                "additionalemail",
                "parentemail2",
                "parent2email",
                "motheremail",
                "mothersemail",
                "spouseemail",
                "wifeemail",
            ],
            needed: false,
        },
        Column {
            name: "total",
            also: &["totalamount", "tuition", "price", "fee"],
            fallbacks: &[
                "totaltuition",
                "totalfee",
                "totalfees",
                "totalcharge",
                "totalcharges",
                "totalprice",
                "totalcost",
                "tuitiontotal",
                "tuitionamount",
                "tuitionfee",
                "fees",
                "charge",
                "charges",
                "cost",
                "campfee",
                "סךהכל",
                "סהכ",
                "שכרלימוד",
            ],
            needed: false,
        },
        Column {
            name: "paid",
            also: &["paidamount", "amountpaid"],
            fallbacks: &[
                "totalpaid",
                "paidtotal",
                "paidsofar",
                "alreadypaid",
                "paidtodate",
                "שולם",
                "באצאלט",
            ],
            needed: false,
        },
        Column {
            name: "due date",
            also: &["duedate", "due"],
            fallbacks: &[
                "dueon",
                "dueby",
                "duedatemdy",
                "duedatemmddyyyy",
                "paymentdue",
                "paymentduedate",
            ],
            needed: false,
        },
        Column { name: "type", also: &["usertype"], fallbacks: &[], needed: false },
        Column { name: "access", also: &[], fallbacks: &[], needed: false },
    ],
    unclear: &[(
        "amount",
        "may be what a family owes, or what it paid. Please call the column “total” or “paid”. Single payments \
         cannot be imported: staff record them in Users.",
    )],
    max_bytes: MAX_BYTES,
};
pub(super) const NAME: usize = 0;
pub(super) const CHILD: usize = 1;
pub(super) const EMAIL: usize = 2;
pub(super) const SECOND: usize = 3;
pub(super) const TOTAL: usize = 4;
pub(super) const PAID: usize = 5;
pub(super) const DUE: usize = 6;
pub(super) const TYPE: usize = 7;
pub(super) const ACCESS: usize = 8;
