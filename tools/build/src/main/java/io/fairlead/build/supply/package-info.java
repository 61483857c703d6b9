/**
 * Holds the bill of materials to what Maven finds by itself. It uses the JDK alone, so that {@code java CheckBill.java} runs it without a
 * build.
 */
package io.fairlead.build.supply;
