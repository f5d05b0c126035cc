import { builtIn } from "./built_in_mail.ts";
import { ARABIC_NUMBER, NUMBER, SAMPLE_ORDER } from "./sample_order.ts";

export const shipmentSent = builtIn({
  isOptional: false,
  facts: {
    carrier: { of: "shipment.carrier", shown: "{{ shipment.carrier | truncate: 100 }}" },
    tracking_number: {
      of: "shipment.tracking_number",
      shown: "<bdi>{{ shipment.tracking_number | truncate: 200 }}</bdi>",
    },
  },
  items: [{ of: "shipment.items" }],
  hasAddress: true,
  buttonTo: "shipment.tracking_url",
  sample: {
    ...SAMPLE_ORDER,
    shipment: {
      carrier: "Palm Post",
      tracking_number: "PP 123 456 789",
      tracking_url: "https://tracking.example.com/PP123456789",
      items: SAMPLE_ORDER.order.items,
    },
  },
  words: {
    en: {
      subject: `A parcel of your order${NUMBER} is on its way`,
      preheader: "Here is how to track it.",
      title: "A parcel is on its way",
      paragraphs: [`We have sent a parcel of your order${NUMBER}.`],
      facts: { carrier: "Carrier", tracking_number: "Tracking number" },
      button: "Track the parcel",
    },
    de: {
      subject: `Ein Paket Ihrer Bestellung${NUMBER} ist unterwegs`,
      preheader: "So verfolgen Sie die Sendung.",
      title: "Ein Paket ist unterwegs",
      paragraphs: [`Wir haben ein Paket Ihrer Bestellung${NUMBER} versandt.`],
      facts: { carrier: "Versanddienst", tracking_number: "Sendungsnummer" },
      button: "Sendung verfolgen",
    },
    ar: {
      subject: `طرد من طلبك${ARABIC_NUMBER} في الطريق إليك`,
      preheader: "إليك طريقة تتبّعه.",
      title: "طرد في الطريق إليك",
      paragraphs: [`أرسلنا طردًا من طلبك${ARABIC_NUMBER}.`],
      facts: { carrier: "شركة الشحن", tracking_number: "رقم التتبّع" },
      button: "تتبّع الطرد",
    },
  },
});
