/**
 * Totals of a run of all tests, from Surefire's reports. It uses the JDK alone, so that {@code java TestTotals.java} runs it without a build.
 */
package io.fairlead.build.report;
