//! Days of the Gregorian calendar. Years are counted from March here, so that a leap day is the last of its year.

/// Days from 1 January 1970 to a day of a year from 0 on; months and days count from 1.
pub fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 719_469
}

/// Year, month and day: the inverse of [`days_since_1970`].
pub fn date_of(days: i64) -> [i64; 3] {
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (year, month) = if month < 10 { (year, month + 3) } else { (year + 1, month - 9) };
    [era * 400 + year, month, day]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_follow_each_other() {
        let mut expected = [1970, 1, 1];
        for days in 0..200_000 {
            assert_eq!(date_of(days), expected);
            assert_eq!(days_since_1970(expected[0], expected[1], expected[2]), days);
            let [year, month, day] = expected;
            let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
            let last = match month {
                2 => 28 + i64::from(is_leap),
                4 | 6 | 9 | 11 => 30,
                _ => 31,
            };
            expected = match (day == last, month) {
                (false, _) => [year, month, day + 1],
                (true, 12) => [year + 1, 1, 1],
                (true, _) => [year, month + 1, 1],
            };
        }
    }
}
