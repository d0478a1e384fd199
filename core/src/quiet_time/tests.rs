use chrono::{Datelike, NaiveTime};
use proptest::prelude::*;

use super::week::{TypedExtraTime, When};
use super::*;

const NEW_YORK: Tz = chrono_tz::America::New_York;

fn day(text: &str) -> NaiveDate {
    text.parse().expect("a day")
}

fn utc(text: &str) -> DateTime<Utc> {
    text.parse().expect("a time")
}

fn sun(place: &str) -> Hours {
    Hours::Sun {
        place: Place::read(place).expect(place),
        candle_lighting_minutes: 18,
        nightfall: Nightfall::Degrees(850),
    }
}

fn schedule(place: &str, zone: Tz, yom_tov: YomTov) -> Schedule {
    Schedule { zone, hours: sun(place), yom_tov, extra: Vec::new() }
}

fn fixed(start: &str, end: &str, yom_tov: YomTov) -> Schedule {
    let [start, end] = [start, end].map(|text| WeekTime::read(text).expect(text));
    Schedule { zone: NEW_YORK, hours: Hours::Fixed { start, end }, yom_tov, extra: Vec::new() }
}

fn extra(from: &str, to: &str, name: &str) -> ExtraTime {
    let typed = TypedExtraTime { from: from.into(), to: to.into(), name: name.into() };
    ExtraTime::try_from(typed).expect("an extra time")
}

fn shown(window: &Window, zone: Tz) -> String {
    let local = |at: DateTime<Utc>| at.with_timezone(&zone).format("%a %F %H:%M").to_string();
    format!("{} – {} {}", local(window.starts_at), local(window.ends_at), window.name())
}

fn upcoming(schedule: &Schedule, from: &str, count: usize) -> Vec<String> {
    let windows = schedule.upcoming(utc(from), count);
    windows.iter().map(|window| shown(window, schedule.zone)).collect()
}

/// The sun's altitude in degrees by the low-precision formulas of the Astronomical Almanac (0.01
/// degrees), which share nothing with the crate.
fn altitude(place: &Place, at: DateTime<Utc>) -> f64 {
    let d = at.timestamp() as f64 / 86_400.0 + 2_440_587.5 - 2_451_545.0;
    let (sin, cos) = (|x: f64| x.to_radians().sin(), |x: f64| x.to_radians().cos());
    let g = 357.529 + 0.985_600_28 * d;
    let l = 280.459 + 0.985_647_36 * d + 1.915 * sin(g) + 0.020 * sin(2.0 * g);
    let e = 23.439 - 0.000_000_36 * d;
    let ascension = (cos(e) * sin(l)).atan2(cos(l)).to_degrees();
    let declination = (sin(e) * sin(l)).asin().to_degrees();
    let sidereal = 15.0 * (18.697_374_558 + 24.065_709_824_419_08 * d);
    let hour = sidereal + place.longitude - ascension;
    (sin(place.latitude) * sin(declination) + cos(place.latitude) * cos(declination) * cos(hour))
        .asin()
        .to_degrees()
}

/// When the sun sinks below this altitude on the evening of this day.
fn evening(place: &Place, day: NaiveDate, below: f64) -> DateTime<Utc> {
    let noon = day.and_time(NaiveTime::from_hms_opt(12, 0, 0).expect("noon")).and_utc()
        - TimeDelta::seconds((place.longitude * 240.0) as i64);
    let (mut high, mut low) = (noon, noon + TimeDelta::hours(12));
    while low - high > TimeDelta::seconds(1) {
        let middle = high + (low - high) / 2;
        match altitude(place, middle) > -below {
            true => high = middle,
            false => low = middle,
        }
    }
    low
}

#[test]
fn sunset_and_nightfall_are_within_two_minutes_of_the_almanac_for_three_years() {
    for name in ["Brooklyn, NY", "Monsey, NY", "Jerusalem", "London", "Montreal", "Melbourne"] {
        let place = Place::read(name).expect(name);
        for date in day("2026-01-01").iter_days().take(3 * 365 + 1) {
            let ours =
                [sun::sunset(&place, date), sun::nightfall(&place, date, Nightfall::Degrees(850))];
            for (ours, below) in ours.into_iter().zip([0.8333, 8.5]) {
                let off = (ours - evening(&place, date, below)).num_seconds().abs();
                assert!(off <= 75, "{name} {date} {below}: {off} seconds");
            }
        }
    }
}

/// Sunset as printed calendars have it, derived from the candle lighting and its minutes before
/// sunset.
#[test]
fn sunset_is_what_published_tables_say() {
    let published = [
        // Jerusalem, 40 minutes.
        ("Jerusalem", "2020-01-03T16:07:00+02:00", 40),
        ("Jerusalem", "2020-01-17T16:19:00+02:00", 40),
        ("Jerusalem", "2020-01-31T16:31:00+02:00", 40),
        ("Jerusalem", "2020-02-14T16:44:00+02:00", 40),
        ("Jerusalem", "2020-02-28T16:55:00+02:00", 40),
        ("Jerusalem", "2020-03-13T17:05:00+02:00", 40),
        ("Jerusalem", "2020-03-27T18:15:00+03:00", 40),
        ("Jerusalem", "2022-12-23T16:00:00+02:00", 40),
        ("Jerusalem", "2021-06-27T19:49:00+03:00", 0),
        // New York, 18 minutes; Brooklyn is a quarter of a minute east of it.
        ("Brooklyn, NY", "2026-11-06T16:28:00-05:00", 18),
        ("Brooklyn, NY", "2024-06-20T20:30:00-04:00", 0),
        ("Brooklyn, NY", "2024-12-21T16:32:00-05:00", 0),
        ("London", "2024-06-20T21:21:00+01:00", 0),
        ("London", "2024-12-21T15:53:00+00:00", 0),
        ("London", "2024-03-20T18:14:00+00:00", 0),
        ("Montreal", "2024-06-20T20:46:00-04:00", 0),
        ("Montreal", "2024-12-21T16:14:00-05:00", 0),
        // North of Toronto, 18 minutes.
        ("43.8563, -79.5085", "2026-04-01T19:27:00-04:00", 18),
        ("43.8563, -79.5085", "2026-04-10T19:37:00-04:00", 18),
    ];
    for (name, at, before) in published {
        let at = chrono::DateTime::parse_from_rfc3339(at).expect("a time");
        let place = Place::read(name).expect(name);
        let ours = sun::sunset(&place, at.date_naive()) - TimeDelta::minutes(before);
        let off = (ours - at.to_utc()).num_seconds();
        assert!(off.abs() <= 120, "{name} {at}: {off} seconds");
    }
}

#[test]
fn nightfall_is_what_published_tables_say() {
    for (name, at) in
        [("Jerusalem", "2022-12-24T17:20:00+02:00"), ("Brooklyn, NY", "2026-11-07T17:28:00-05:00")]
    {
        let at = chrono::DateTime::parse_from_rfc3339(at).expect("a time");
        let place = Place::read(name).expect(name);
        let ours = sun::nightfall(&place, at.date_naive(), Nightfall::Degrees(850));
        let off = (ours - at.to_utc()).num_seconds();
        assert!(off.abs() <= 120, "{name} {at}: {off} seconds");
    }
    let london = Place::read("London").expect("London");
    let date = day("2026-07-04");
    let sunset = sun::sunset(&london, date);
    assert_eq!(
        sun::nightfall(&london, date, Nightfall::Minutes(72)) - sunset,
        TimeDelta::minutes(72)
    );
}

/// The first days of the holidays, as calendars print them.
#[test]
fn yom_tov_is_on_the_days_that_calendars_print() {
    let diaspora = [
        ("Pesach", "2025-04-13 2025-04-14 2025-04-19 2025-04-20"),
        ("Shavuos", "2025-06-02 2025-06-03"),
        ("Rosh Hashanah", "2025-09-23 2025-09-24"),
        ("Yom Kippur", "2025-10-02"),
        ("Sukkos", "2025-10-07 2025-10-08"),
        ("Shemini Atzeres", "2025-10-14"),
        ("Simchas Torah", "2025-10-15"),
        ("Pesach", "2026-04-02 2026-04-03 2026-04-08 2026-04-09"),
        ("Shavuos", "2026-05-22 2026-05-23"),
        ("Rosh Hashanah", "2026-09-12 2026-09-13"),
        ("Yom Kippur", "2026-09-21"),
        ("Sukkos", "2026-09-26 2026-09-27"),
        ("Shemini Atzeres", "2026-10-03"),
        ("Simchas Torah", "2026-10-04"),
        ("Pesach", "2027-04-22 2027-04-23 2027-04-28 2027-04-29"),
        ("Shavuos", "2027-06-11 2027-06-12"),
        ("Rosh Hashanah", "2027-10-02 2027-10-03"),
        ("Yom Kippur", "2027-10-11"),
        ("Sukkos", "2027-10-16 2027-10-17"),
        ("Shemini Atzeres", "2027-10-23"),
        ("Simchas Torah", "2027-10-24"),
    ];
    let printed: Vec<(NaiveDate, &str)> = diaspora
        .iter()
        .flat_map(|(name, days)| days.split(' ').map(|date| (day(date), *name)))
        .collect();
    let days = || day("2025-01-01").iter_days().take(3 * 365);
    let ours: Vec<_> = days().filter_map(|d| Some((d, YomTov::Diaspora.on(d)?))).collect();
    assert_eq!(ours, printed);
    let israel: Vec<_> = days().filter(|d| YomTov::Israel.on(*d).is_some()).collect();
    let second = ["2025-04-14", "2025-04-20", "2025-06-03", "2025-10-08", "2025-10-15"];
    assert!(second.iter().all(|date| !israel.contains(&day(date))), "{israel:?}");
    assert_eq!(israel.len(), 3 * 8);
    assert_eq!(days().filter(|d| YomTov::None.on(*d).is_some()).count(), 0);
}

#[test]
fn a_holiday_beside_shabbos_is_one_window() {
    let monsey = schedule("Monsey, NY", NEW_YORK, YomTov::Diaspora);
    assert_eq!(
        upcoming(&monsey, "2026-05-18T12:00:00Z", 2),
        [
            "Thu 2026-05-21 19:55 – Sat 2026-05-23 21:04 Shavuos and Shabbos",
            "Fri 2026-05-29 20:02 – Sat 2026-05-30 21:11 Shabbos",
        ]
    );
    // Rosh Hashanah on Thursday and Friday, then Shabbos: three days.
    let three = &monsey.upcoming(utc("2024-10-01T12:00:00Z"), 1)[0];
    assert_eq!(
        shown(three, NEW_YORK),
        "Wed 2024-10-02 18:18 – Sat 2024-10-05 19:12 Rosh Hashanah and Shabbos"
    );
    // In Israel, Shavuos 2026 is Friday alone, followed by Shabbos.
    let jerusalem = schedule("Jerusalem", chrono_tz::Asia::Jerusalem, YomTov::Israel);
    let window = &jerusalem.upcoming(utc("2026-05-18T12:00:00Z"), 1)[0];
    assert_eq!((window.ends_at - window.starts_at).num_hours(), 49);
    // A holiday on a Monday lasts two days in the diaspora and one in Israel.
    let hours = |schedule: &Schedule| {
        let window = schedule.window_at(utc("2025-06-02T12:00:00Z")).expect("Shavuos");
        (window.ends_at - window.starts_at).num_hours()
    };
    assert_eq!((hours(&monsey), hours(&jerusalem)), (49, 25));
}

#[test]
fn a_fixed_week_keeps_its_times_and_holidays_too() {
    let week = fixed("Friday 18:00", "Saturday 21:30", YomTov::Diaspora);
    assert_eq!(
        upcoming(&week, "2026-05-12T12:00:00Z", 2),
        [
            "Fri 2026-05-15 18:00 – Sat 2026-05-16 21:30 Shabbos",
            "Thu 2026-05-21 18:00 – Sat 2026-05-23 21:30 Shavuos and Shabbos",
        ]
    );
    let early = fixed("Friday 20:00", "Saturday 19:00", YomTov::Diaspora);
    let pesach = "2025-04-10T12:00:00Z";
    assert_eq!(
        upcoming(&early, pesach, 1),
        ["Fri 2025-04-11 20:00 – Mon 2025-04-14 19:00 Shabbos and Pesach"],
        "no gap between Shabbos and the holiday"
    );
    let sunday = fixed("Sunday 06:00", "Sunday 13:00", YomTov::None);
    assert_eq!(
        upcoming(&sunday, "2026-03-03T12:00:00Z", 2),
        [
            "Sun 2026-03-08 06:00 – Sun 2026-03-08 13:00 Quiet time",
            "Sun 2026-03-15 06:00 – Sun 2026-03-15 13:00 Quiet time",
        ]
    );
}

#[test]
fn extra_days_are_kept_like_holidays_and_extra_hours_as_they_are() {
    let mut monsey = schedule("Monsey, NY", NEW_YORK, YomTov::Diaspora);
    monsey.extra = vec![
        extra("2026-07-23", "2026-07-23", "Tisha B'Av"),
        extra("2026-07-27T14:00", "2026-07-27T16:30", ""),
        // It ends when Shabbos begins or later, so it joins Shabbos in one window.
        extra("2026-07-31T12:00", "2026-07-31T23:00", "Visiting Day"),
    ];
    assert_eq!(
        upcoming(&monsey, "2026-07-20T12:00:00Z", 4),
        [
            "Wed 2026-07-22 20:04 – Thu 2026-07-23 21:10 Tisha B'Av",
            "Fri 2026-07-24 20:02 – Sat 2026-07-25 21:08 Shabbos",
            "Mon 2026-07-27 14:00 – Mon 2026-07-27 16:30 Quiet time",
            "Fri 2026-07-31 12:00 – Sat 2026-08-01 21:00 Visiting Day and Shabbos",
        ]
    );
}

#[test]
fn in_the_far_north_nightfall_may_come_after_midnight_but_comes() {
    let helsinki = schedule("60.17, 24.94", chrono_tz::Europe::Helsinki, YomTov::None);
    for week in 0..52 {
        let from = utc("2026-01-05T12:00:00Z") + TimeDelta::weeks(week);
        let window = helsinki.next(from).expect("Shabbos");
        let hours = (window.ends_at - window.starts_at).num_hours();
        assert!((24..=30).contains(&hours), "{}", shown(&window, helsinki.zone));
    }
    let june = helsinki.next(utc("2026-06-15T12:00:00Z")).expect("Shabbos");
    assert_eq!(june.ends_at.with_timezone(&helsinki.zone).day(), 21, "after midnight");
}

#[test]
fn texts_are_read_back_as_they_are_written() {
    for text in ["Monsey, NY", "41.1112, -74.07", "-33.5, 151"] {
        assert_eq!(Place::read(text).expect(text).to_string(), text);
    }
    assert_eq!(Place::read("monsey, ny").expect("any case").to_string(), "Monsey, NY");
    assert_eq!(Place::read(" 41.11123 -74.07° ").expect("degrees").to_string(), "41.1112, -74.07");
    for text in ["", "Atlantis", "70, 10", "41.1", "41.1, 181", "nan, 0", "inf, 0", "1e400, 0"] {
        assert_eq!(Place::read(text), None, "{text}");
    }
    for text in ["8.5 degrees", "7.08 degrees", "72 minutes"] {
        assert_eq!(Nightfall::read(text).expect(text).to_string(), text);
    }
    for text in ["", "8.5", "3 degrees", "13 degrees", "19 minutes", "121 minutes", "NaN degrees"] {
        assert_eq!(Nightfall::read(text), None, "{text}");
    }
    assert_eq!(WeekTime::read("fri 6:05").expect("a time").to_string(), "Friday 06:05");
    for text in ["", "Friday", "Friday 24:00", "Freitag 18:00"] {
        assert_eq!(WeekTime::read(text), None, "{text}");
    }
    for place in PLACES {
        assert_eq!(Place::read(&place.to_string()), Some(*place));
    }
}

#[test]
fn extra_times_are_typed_with_or_without_hours_and_name() {
    let typed = |text| ExtraTime::read(text);
    assert_eq!(typed("2026-07-23 Tisha B'Av"), Ok(extra("2026-07-23", "2026-07-23", "Tisha B'Av")));
    assert_eq!(typed("2026-08-02/2026-08-04"), Ok(extra("2026-08-02", "2026-08-04", "Quiet time")));
    let hours = extra("2026-07-27T14:00", "2026-07-27T16:30", "Visiting Day");
    assert_eq!(typed("2026-07-27T14:00/2026-07-27T16:30 Visiting Day"), Ok(hours));
    assert_eq!(typed("2026-08-04/2026-08-02"), Err("The end must be after the start."));
    assert_eq!(typed("2026-07-27T14:00"), Err("The end must be after the start."));
    assert_eq!(typed("2026-08-02/2026-09-02"), Err("Please enter at most 31 days at a time."));
    for text in ["", "tomorrow", "2026-02-30", "2026-08-02/2026-08-02T10:00", "1026-08-02"] {
        assert_eq!(typed(text), Err("Please enter two dates, or two dates with times."), "{text}");
    }
}

#[test]
fn a_calendar_file_brings_days_hours_and_says_what_it_leaves_out() {
    let file = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nDTSTART;VALUE=DATE:20260723\r\n\
        DTEND;VALUE=DATE:20260724\r\nSUMMARY:Tisha B'Av\\, the\r\n  ninth\r\nEND:VEVENT\r\n\
        BEGIN:VEVENT\r\nDTSTART:20260727T180000Z\r\nDURATION:PT2H30M\r\nBEGIN:VALARM\r\n\
        SUMMARY:not this\r\nEND:VALARM\r\nSUMMARY:Visit\r\nEND:VEVENT\r\n\
        BEGIN:VEVENT\r\nDTSTART;TZID=\"Asia/Jerusalem\":20260728T180000\r\n\
        DTEND;TZID=Asia/Jerusalem:20260728T190000\r\nEND:VEVENT\r\n\
        BEGIN:VEVENT\r\nDTSTART;VALUE=DATE:20200723\r\nSUMMARY:Past\r\nEND:VEVENT\r\n\
        BEGIN:VEVENT\r\nDTSTART;VALUE=DATE:20260801\r\nRRULE:FREQ=WEEKLY\r\nEND:VEVENT\r\n\
        BEGIN:VEVENT\r\nDTSTART:20260731T195800\r\nSUMMARY:Candle lighting\r\nEND:VEVENT\r\n\
        BEGIN:VEVENT\r\nDTSTART;TZID=Nowhere:20260728T180000\r\nDURATION:PT1H\r\nEND:VEVENT\r\n\
        BEGIN:VEVENT\r\nDTSTART;VALUE=DATE:20260805\r\nSTATUS:CANCELLED\r\nEND:VEVENT\r\n\
        END:VCALENDAR\r\n";
    let now = utc("2026-06-01T00:00:00Z");
    let read = read_calendar_file(file, NEW_YORK, now).expect("a calendar");
    assert_eq!(
        read.dates,
        [
            extra("2026-07-23", "2026-07-23", "Tisha B'Av, the ninth"),
            extra("2026-07-27T14:00", "2026-07-27T16:30", "Visit"),
            extra("2026-07-28T11:00", "2026-07-28T12:00", ""),
        ]
    );
    assert_eq!((read.repeating, read.past, read.unusable), (1, 1, 2));
    assert_eq!(read_calendar_file("<html>", NEW_YORK, now), Err(NotACalendar));
    for start in [
        "DTSTART:-262143 0101T000000Z",
        "DTSTART;TZID=Asia/Tokyo:-262143 0101T000000",
        "DTSTART:20260701T100000",
    ] {
        let file = format!(
            "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\n{start}\r\nDURATION:P95000000D\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
        );
        assert_eq!(
            read_calendar_file(&file, NEW_YORK, now).expect("a calendar").dates,
            [],
            "{start}"
        );
    }
}

fn schedules() -> impl Strategy<Value = Schedule> {
    let places = (-65.0..65.0f64, -180.0..180.0f64);
    let suns = (
        places,
        0..90i64,
        prop_oneof![
            (400..1200i64).prop_map(Nightfall::Degrees),
            (20..120i64).prop_map(Nightfall::Minutes),
        ],
    )
        .prop_map(|((latitude, longitude), candle_lighting_minutes, nightfall)| {
            let place = Place::read(&format!("{latitude}, {longitude}")).expect("a place");
            let hours = (place.sun_hours().round() as i32).clamp(-12, 12);
            // The names of these zones have the opposite sign.
            let zone: Tz = format!("Etc/GMT{:+}", -hours).parse().expect("a zone");
            (zone, Hours::Sun { place, candle_lighting_minutes, nightfall })
        });
    let times = || {
        (0..7u8, 0..24u32, 0..60u32).prop_map(|(day, hour, minute)| WeekTime {
            day: Weekday::try_from(day).expect("a day"),
            time: NaiveTime::from_hms_opt(hour, minute, 0).expect("a time"),
        })
    };
    let weeks = (times(), times()).prop_map(|(start, end)| (NEW_YORK, Hours::Fixed { start, end }));
    let extras = (0..900u64, 0..9u64, 0..1440i64, 1..3000i64, any::<bool>()).prop_map(
        |(from, days, minute, minutes, whole)| {
            let first = day("2026-01-01") + Days::new(from);
            let at = first.and_time(NaiveTime::MIN) + TimeDelta::minutes(minute);
            let when = match whole {
                true => When::Days { first, last: first + Days::new(days) },
                false => When::Hours { from: at, to: at + TimeDelta::minutes(minutes) },
            };
            ExtraTime::new(when, "Extra").expect("an extra time")
        },
    );
    let kinds = prop_oneof![Just(YomTov::None), Just(YomTov::Diaspora), Just(YomTov::Israel)];
    let extras = proptest::collection::vec(extras, 0..12);
    (prop_oneof![3 => suns, 1 => weeks], kinds, extras)
        .prop_map(|((zone, hours), yom_tov, extra)| Schedule { zone, hours, yom_tov, extra })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn windows_open_before_they_close_and_never_overlap(schedule in schedules(), start in 0..900i64) {
        let from = utc("2026-01-01T00:00:00Z") + TimeDelta::days(start);
        let windows = schedule.windows(from, from + TimeDelta::days(60));
        for window in &windows {
            prop_assert!(window.starts_at < window.ends_at);
            prop_assert!(!window.names.is_empty());
        }
        for pair in windows.windows(2) {
            prop_assert!(pair[0].ends_at < pair[1].starts_at);
        }
    }

    #[test]
    fn no_friday_is_missed(schedule in schedules(), week in 0..128i64) {
        prop_assume!(schedule.keeps_shabbos());
        let zone = schedule.zone;
        let friday = day("2026-01-02") + Days::new(7 * week as u64);
        // Both ends of the day's darkness, and the noon in between, are in one window.
        let noon = moment_in(zone, (friday + Days::new(1)).and_hms_opt(12, 0, 0).expect("noon"));
        let window = schedule.window_at(noon);
        if let Hours::Sun { .. } = schedule.hours {
            prop_assert!(window.is_some());
        }
        let Some(window) = window else { return Ok(()) };
        prop_assert!(window.names.contains(&"Shabbos".to_owned()));
        prop_assert!(window.starts_at <= schedule.evening_before(friday + Days::new(1)));
        prop_assert!(window.ends_at >= schedule.end_of(friday + Days::new(1)));
    }

    #[test]
    fn what_opens_is_open_and_no_earlier_time_is(schedule in schedules(), minute in 0..1_300_000i64) {
        let at = utc("2026-01-01T00:00:00Z") + TimeDelta::minutes(minute);
        let open = schedule.window_at(at).map_or(at, |window| window.ends_at);
        prop_assert!(open >= at);
        prop_assert_eq!(schedule.window_at(open), None);
        if open > at {
            let last = open - TimeDelta::seconds(1);
            prop_assert!(schedule.window_at(at).is_some() && schedule.window_at(last).is_some());
        }
    }

    #[test]
    fn the_next_windows_are_the_same_whenever_they_are_asked_for(schedule in schedules(), start in 0..700i64) {
        let from = utc("2026-01-01T00:00:00Z") + TimeDelta::days(start);
        let ten = schedule.upcoming(from, 10);
        if schedule.keeps_shabbos() {
            prop_assert_eq!(ten.len(), 10);
        }
        for window in &ten {
            prop_assert_eq!(schedule.window_at(window.starts_at), Some(window.clone()));
            let last = window.ends_at - TimeDelta::seconds(1);
            prop_assert_eq!(schedule.window_at(last), Some(window.clone()));
        }
    }

    #[test]
    fn any_text_is_read_without_a_panic(text in "(BEGIN:VCALENDAR\n)?(BEGIN:VEVENT\n(DTSTART(;VALUE=DATE|;TZID=[A-Z/a-z]{0,9})?:[0-9TZ]{0,16}\n|DTEND:[0-9TZ]{8,16}\n|DURATION:P[0-9WDTHMS]{0,30}\n|SUMMARY:.{0,90}\n|BEGIN:VALARM\n|END:.{0,6}\n){0,6}END:VEVENT\n){0,4}.{0,40}") {
        let _ = read_calendar_file(&text, NEW_YORK, utc("2026-06-01T00:00:00Z"));
        let _ = (Place::read(&text), Nightfall::read(&text), WeekTime::read(&text));
    }
}
